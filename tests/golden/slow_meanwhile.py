# SPDX-License-Identifier: GPL-2.0-only
"""An event loop in which every request walks a chain for a while, from 2.8 s to 3.4 s: it is over.
Answer: nothing abnormal, but find_item is nearest to it: one short time is no bug that stays."""
from loop import serve_by_loop
from synth import Trace

trace = Trace(seconds=4)


def handle(loop):
    loop.run(trace.random.randint(80_000, 120_000), ["main", "event_loop", "handle", "parse"])
    if trace.end_ns - 1_200_000_000 < loop.now < trace.end_ns - 600_000_000:
        loop.run(trace.random.randint(800_000, 1_200_000),
                 ["main", "event_loop", "handle", "find_item"])


serve_by_loop(trace, handle)
