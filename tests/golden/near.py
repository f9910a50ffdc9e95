# SPDX-License-Identifier: GPL-2.0-only
"""An event loop in which requests walk a chain far too long, all of them in the first eighth of the window.
Answer: nothing abnormal, because that may as well have been a single disturbance; find_item came nearest to
a finding, and failed the rule `spread`."""
from loop import serve_by_loop
from synth import Trace

trace = Trace(seconds=4)


def handle(loop):
    loop.run(trace.random.randint(80_000, 120_000), ["main", "event_loop", "handle", "parse"])
    if trace.random.random() < 0.06 and loop.now < trace.end_ns * 12 // 100:
        loop.run(trace.random.randint(3_000_000, 5_000_000),
                 ["main", "event_loop", "handle", "find_item"])


serve_by_loop(trace, handle)
