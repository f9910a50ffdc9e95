# SPDX-License-Identifier: GPL-2.0-only
"""A dozen requests take ten times as long as others, 0.3 ms, and samples come eight times as often as at first.
Answer: nothing abnormal, because 4 ms in 4 s are not worth a finding, however many samples hit them; find_item
comes nearest."""
from loop import serve_by_loop
from synth import Trace

trace = Trace(seconds=4, seed=12)
trace.sample_from(1_000_000, 125_000)


def handle(loop):
    loop.run(trace.random.randint(20_000, 30_000), ["main", "event_loop", "handle", "parse"])
    if trace.random.random() < 0.0015:
        loop.run(trace.random.randint(280_000, 320_000), ["main", "event_loop", "handle", "find_item"])


serve_by_loop(trace, handle)
