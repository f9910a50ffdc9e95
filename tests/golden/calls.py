# SPDX-License-Identifier: GPL-2.0-only
"""An event loop in which 4 requests of 100 look at a file 80 times instead of once.
Answer: check_file, by the number of its calls."""
from loop import serve_by_loop
from synth import Trace

trace = Trace(seconds=5, seed=8)


def handle(loop):
    loop.run(trace.random.randint(80_000, 120_000), ["main", "event_loop", "handle", "parse"])
    for _ in range(80 if trace.random.random() < 0.04 else 1):
        loop.call("newfstatat", 30_000, path=["main", "event_loop", "handle", "check_file",
                                              "libc:fstatat"])


serve_by_loop(trace, handle)
