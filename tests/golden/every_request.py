# SPDX-License-Identifier: GPL-2.0-only
"""An event loop in which every request walks a chain that used not to be there.
Answer: find_item, by time; without the baseline nothing abnormal could be seen.
Baseline: healthy.
Metrics."""
from loop import serve_by_loop
from synth import Trace

trace = Trace(seconds=4)


def handle(loop):
    loop.run(trace.random.randint(80_000, 120_000), ["main", "event_loop", "handle", "parse"])
    loop.run(trace.random.randint(800_000, 1_200_000),
             ["main", "event_loop", "handle", "find_item"])


serve_by_loop(trace, handle)
