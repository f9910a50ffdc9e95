# SPDX-License-Identifier: GPL-2.0-only
"""An event loop in which every request walks a chain from the first quarter on, so that most do.
Answer: find_item, by time, since 1.0 s."""
from loop import serve_by_loop
from synth import Trace

trace = Trace(seconds=4)


def handle(loop):
    loop.run(trace.random.randint(80_000, 120_000), ["main", "event_loop", "handle", "parse"])
    if loop.now > trace.end_ns - 3_000_000_000:
        loop.run(trace.random.randint(800_000, 1_200_000),
                 ["main", "event_loop", "handle", "find_item"])


serve_by_loop(trace, handle)
