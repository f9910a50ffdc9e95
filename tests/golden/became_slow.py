# SPDX-License-Identifier: GPL-2.0-only
"""An event loop in which every request walks a chain for the last fifth of the time.
Answer: find_item, by time, since 3.2 s."""
from loop import serve_by_loop
from synth import Trace

trace = Trace(seconds=4)


def handle(loop):
    loop.run(trace.random.randint(80_000, 120_000), ["main", "event_loop", "handle", "parse"])
    if loop.now > trace.end_ns - 800_000_000:
        loop.run(trace.random.randint(800_000, 1_200_000),
                 ["main", "event_loop", "handle", "find_item"])


serve_by_loop(trace, handle)
