# SPDX-License-Identifier: GPL-2.0-only
"""A server that appends to a log in every request, on a disk that now and then takes long.
Answer: outside the program: the disk; append_log waits for it."""
from loop import serve_by_loop
from synth import Trace

trace = Trace(seconds=8, seed=7)
trace.fd(9, "file")


def handle(loop):
    loop.run(trace.random.randint(80_000, 120_000), ["main", "event_loop", "handle", "parse"])
    slow = trace.random.random() < 0.03
    loop.sleep("fsync", trace.random.randint(150_000, 250_000) * (100 if slow else 1), args="9",
               path=["main", "event_loop", "handle", "append_log", "libc:fsync"])


serve_by_loop(trace, handle, last_ns=60_000_000)
