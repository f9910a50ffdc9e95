# SPDX-License-Identifier: GPL-2.0-only
"""An event loop with three bugs in different requests; one of the functions has a fifth of usual time too.
Answer: all three; checksum is found only where the time of the other two is left aside."""
from loop import serve_by_loop
from synth import Trace

HANDLE = ["main", "event_loop", "handle"]
trace = Trace(seconds=6, seed=35)


def handle(loop):
    loop.run(trace.random.randint(70_000, 90_000), HANDLE + ["parse"])
    loop.run(trace.random.randint(18_000, 22_000), HANDLE + ["checksum"])
    if trace.random.random() < 0.06:
        loop.run(trace.random.randint(4_000_000, 6_000_000),
                 HANDLE + [trace.random.choice(["checksum", "add_visit", "render"])])


serve_by_loop(trace, handle, last_ns=60_000_000)
