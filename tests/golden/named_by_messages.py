# SPDX-License-Identifier: GPL-2.0-only
"""The server of stripped.py, whose function without a symbol has its name in a message of its own.
Answer: find_item, and on the first screen that this name is from messages."""
from loop import serve_by_loop
from synth import Trace

trace = Trace(seconds=4)
trace.file(1, 0x400000, "/usr/bin/server", ["main", "event_loop", "handle", "parse", "find_item"], messages=("find_item",))


def handle(loop):
    loop.run(trace.random.randint(80_000, 120_000), ["main", "event_loop", "handle", "parse"])
    if trace.random.random() < 0.03:
        loop.run(trace.random.randint(3_000_000, 5_000_000), ["main", "event_loop", "handle", "find_item"])


serve_by_loop(trace, handle)
