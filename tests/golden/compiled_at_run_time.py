# SPDX-License-Identifier: GPL-2.0-only
"""A server in JavaScript: what Node compiled while it runs has no names, and what is slow is in there.
Answer: the last function above it that has a name, and on the first screen what Node needs to give names."""
from loop import serve_by_loop
from synth import Trace

trace = Trace(seconds=4)
trace.map(0x400000, 0x500000, "/usr/bin/node", "40de40de40de")
trace.map(0x70000000, 0x70100000, "-", "-")
trace.functions["compiled"] = 0x70000810
trace.functions["helper"] = 0x70000c10


def handle(loop):
    loop.run(trace.random.randint(80_000, 120_000), ["main", "event_loop", "handle", "call_script", "compiled"])
    if trace.random.random() < 0.03:
        loop.run(trace.random.randint(3_000_000, 5_000_000),
                 ["main", "event_loop", "handle", "call_script", "compiled", "helper"])


serve_by_loop(trace, handle)
