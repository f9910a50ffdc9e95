# SPDX-License-Identifier: GPL-2.0-only
"""The same event loop without a bug, requests of varying size.
Answer: nothing abnormal."""
from loop import serve_by_loop
from synth import Trace

trace = Trace(seconds=4, seed=2)


def handle(loop):
    loop.run(trace.random.lognormvariate(11.5, 0.3), ["main", "event_loop", "handle", "parse"])


serve_by_loop(trace, handle)
