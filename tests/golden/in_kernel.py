# SPDX-License-Identifier: GPL-2.0-only
"""An event loop in which 3 requests of 100 unlink files in a directory far too large.
Answer: drop_entry, by time, most of it in the kernel's search of the directory."""
from loop import serve_by_loop
from synth import Trace

trace = Trace(seconds=4)


def handle(loop):
    loop.run(trace.random.randint(80_000, 120_000), ["main", "event_loop", "handle", "parse"])
    if trace.random.random() < 0.03:
        path = ["main", "event_loop", "handle", "drop_entry", "libc:unlink"]
        for _ in range(3):
            loop.run(trace.random.randint(1_000_000, 1_500_000), path, kernel="search_dir")
            loop.run(trace.random.randint(200_000, 400_000), path, kernel="crc32c")
            loop.call("unlink", 2_000, ret=0, path=path)


serve_by_loop(trace, handle)
