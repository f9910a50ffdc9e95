# SPDX-License-Identifier: GPL-2.0-only
"""An event loop in which from half of the trace on two of five requests look an item up again and again, for 0.2 ms: too short
to be more than a kind of their own, if they had always been there.
Answer: find_item, by calls, since 3.0 s."""
from loop import serve_by_loop
from synth import Trace

trace = Trace(seconds=6)


def handle(loop):
    loop.run(trace.random.randint(25_000, 30_000), ["main", "event_loop", "handle", "parse"])
    if loop.now < trace.end_ns - 3_000_000_000 or trace.random.random() < 0.6:
        return
    for _ in range(20):
        loop.call("pread64", 5_000, ret=64, args="9", path=["main", "event_loop", "handle", "find_item"])
    loop.run(trace.random.randint(80_000, 120_000), ["main", "event_loop", "handle", "find_item"])


serve_by_loop(trace, handle)
