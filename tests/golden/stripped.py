# SPDX-License-Identifier: GPL-2.0-only
"""The server of cpu.py, stripped: of all its functions the one that walks the chain has no symbol.
Answer: its address, and that handle called it."""
from loop import serve_by_loop
from synth import Trace

trace = Trace(seconds=4)
trace.map(0x1000, 0x9000, "/usr/bin/server", "5e12e12e12e1")
trace.functions["find_item"] = 0x8010


def handle(loop):
    loop.run(trace.random.randint(80_000, 120_000), ["main", "event_loop", "handle", "parse"])
    if trace.random.random() < 0.03:
        loop.run(trace.random.randint(3_000_000, 5_000_000),
                 ["main", "event_loop", "handle", "find_item"])


serve_by_loop(trace, handle)
