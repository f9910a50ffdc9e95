# SPDX-License-Identifier: GPL-2.0-only
"""The server of cpu.py, whose long requests lose the CPU for a while on their way.
Answer: find_item, by time; a slow request runs before and after, and is without a CPU between, which is no sleep."""
from loop import serve_by_loop
from synth import Trace

trace = Trace(seconds=4)
WALK = ["main", "event_loop", "handle", "find_item"]


def handle(loop):
    loop.run(trace.random.randint(80_000, 120_000), ["main", "event_loop", "handle", "parse"])
    if trace.random.random() < 0.03:
        loop.run(trace.random.randint(1_500_000, 2_500_000), WALK)
        loop.wait_for_cpu(900_000, other=900, said=False)
        loop.run(trace.random.randint(1_500_000, 2_500_000), WALK)


serve_by_loop(trace, handle)
