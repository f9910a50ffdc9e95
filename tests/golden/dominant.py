# SPDX-License-Identifier: GPL-2.0-only
"""A server that spends nearly all of its time in one function, which takes far longer for 3 requests
of 100.
Answer: render, by time, although it dominates usual requests as well."""
from loop import serve_by_loop
from synth import Trace

trace = Trace(seconds=8, seed=9)


def handle(loop):
    loop.run(trace.random.randint(20_000, 40_000), ["main", "event_loop", "handle", "parse"])
    slow = trace.random.random() < 0.03
    loop.run(trace.random.randint(150_000, 250_000) * (50 if slow else 1),
             ["main", "event_loop", "handle", "render"])


serve_by_loop(trace, handle, last_ns=60_000_000)
