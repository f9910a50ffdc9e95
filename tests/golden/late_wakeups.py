# SPDX-License-Identifier: GPL-2.0-only
"""An event loop that sleeps in every request, and comes back to the CPU 60 to 120 µs after it was woken,
as on an idle virtual machine: most of its busy time, but no CPU is short.
Answer: nothing abnormal."""
from synth import Thread, Trace

trace = Trace(seconds=6, seed=29)
trace.fd(5, "epoll")
trace.fd(7, "accepted")
trace.fd(9, "pipe")
loop = Thread(trace, 100, "server", 0)
loop.state("runnable", flags=" on_cpu")
loop.begin()
while loop.now < trace.end_ns - 60_000_000:
    loop.sleep("epoll_wait", trace.random.randint(200_000, 800_000), ret=1, args="5",
               path=["main", "event_loop", "libc:epoll_wait"])
    loop.call("read", 5_000, ret=64, args="7", path=["main", "event_loop", "read_request"])
    loop.run(trace.random.randint(20_000, 30_000), ["main", "event_loop", "handle", "parse"])
    loop.sleep("read", trace.random.randint(20_000, 30_000), ret=64, args="9",
               path=["main", "event_loop", "handle", "ask", "libc:read"],
               queue_ns=trace.random.randint(60_000, 120_000))
    loop.call("write", 10_000, ret=64, args="7",
              path=["main", "event_loop", "handle", "reply", "libc:write"])
loop.stuck("epoll_wait", args="5")
trace.print()
