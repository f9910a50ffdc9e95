# SPDX-License-Identifier: GPL-2.0-only
"""An event loop with three independent bugs: a long walk (0.3 ms a request on average), a needless
fsync (0.2 ms), a call made 70 times (0.1 ms).
Answer: find_item, flush_log, seek_back, in that order."""
from loop import serve_by_loop
from synth import Trace

trace = Trace(seconds=10, seed=15)
trace.fd(9, "file")


def handle(loop):
    loop.run(trace.random.randint(80_000, 120_000), ["main", "event_loop", "handle", "parse"])
    if trace.random.random() < 0.04:
        loop.run(trace.random.randint(6_000_000, 9_000_000),
                 ["main", "event_loop", "handle", "find_item"])
    if trace.random.random() < 0.02:
        loop.sleep("fsync", trace.random.randint(8_000_000, 12_000_000), args="9",
                   path=["main", "event_loop", "handle", "flush_log", "libc:fsync"])
    for _ in range(70 if trace.random.random() < 0.03 else 0):
        loop.call("lseek", 50_000, args="9",
                  path=["main", "event_loop", "handle", "seek_back", "libc:lseek"])


serve_by_loop(trace, handle, last_ns=60_000_000)
