# SPDX-License-Identifier: GPL-2.0-only
"""An event loop in which 3 requests of 100 walk a chain far too long.
Answer: find_item, by time, and nothing else."""
from loop import serve_by_loop
from synth import Trace

trace = Trace(seconds=4)


def handle(loop):
    loop.run(trace.random.randint(80_000, 120_000), ["main", "event_loop", "handle", "parse"])
    if trace.random.random() < 0.03:
        loop.run(trace.random.randint(3_000_000, 5_000_000),
                 ["main", "event_loop", "handle", "find_item"])


serve_by_loop(trace, handle)
