# SPDX-License-Identifier: GPL-2.0-only
"""An event loop in which 3 requests of 100 unlink forty files one by one.
Answer: drop_entries, by calls; its time is the kernel's, which looks for them."""
from loop import serve_by_loop
from synth import Trace

trace = Trace(seconds=4)


def handle(loop):
    loop.run(trace.random.randint(80_000, 120_000), ["main", "event_loop", "handle", "parse"])
    if trace.random.random() < 0.03:
        path = ["main", "event_loop", "handle", "drop_entries"]
        for _ in range(40):
            loop.run(trace.random.randint(60_000, 80_000), path + ["libc:unlink"], kernel="search_dir")
            loop.run(trace.random.randint(15_000, 25_000), path + ["libc:unlink"], kernel="crc32c")
            loop.run(5_000, path)
            loop.call("unlink", 90_000, ret=0, path=path + ["libc:unlink"])


serve_by_loop(trace, handle)
