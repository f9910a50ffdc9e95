# SPDX-License-Identifier: GPL-2.0-only
"""The server of stripped.py, whose function without a symbol spends its time in a library, whose functions have names.
Answer: its address, and on the first screen what it calls and that handle called it."""
from loop import serve_by_loop
from synth import Trace

trace = Trace(seconds=4)
trace.map(0x1000, 0x9000, "/usr/bin/server", "5e12e12e12e1")
trace.functions["find_item"] = 0x8010


def handle(loop):
    loop.run(trace.random.randint(80_000, 120_000), ["main", "event_loop", "handle", "parse"])
    if trace.random.random() < 0.03:
        loop.run(trace.random.randint(3_000_000, 5_000_000),
                 ["main", "event_loop", "handle", "find_item", "libc:hash_password"])


serve_by_loop(trace, handle)
