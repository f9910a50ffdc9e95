# SPDX-License-Identifier: GPL-2.0-only
"""An event loop that sleeps in every request, and comes back to the CPU 60 to 120 µs after it was woken,
as on an idle virtual machine: most of its busy time, but no CPU is short.
Answer: nothing abnormal."""
from loop import serve_by_loop
from synth import Trace

trace = Trace(seconds=6, seed=29)
trace.fd(9, "pipe")


def handle(loop):
    loop.run(trace.random.randint(20_000, 30_000), ["main", "event_loop", "handle", "parse"])
    loop.sleep("read", trace.random.randint(20_000, 30_000), ret=64, args="9",
               path=["main", "event_loop", "handle", "ask", "libc:read"],
               queue_ns=trace.random.randint(60_000, 120_000))


serve_by_loop(trace, handle)
