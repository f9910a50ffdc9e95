# SPDX-License-Identifier: GPL-2.0-only
"""A server that spends nearly all of its time in one function, which takes far longer for 3 requests
of 100.
Answer: render, by time, although it dominates usual requests as well."""
from synth import Thread, Trace

trace = Trace(seconds=8, seed=9)
trace.fd(5, "epoll")
trace.fd(7, "accepted")
loop = Thread(trace, 100, "server", 0)
loop.state("runnable", flags=" on_cpu")
loop.begin()
while loop.now < trace.end_ns - 60_000_000:
    loop.sleep("epoll_wait", trace.random.randint(200_000, 800_000), ret=1, args="5",
               path=["main", "event_loop", "libc:epoll_wait"])
    loop.call("read", 5_000, ret=64, args="7", path=["main", "event_loop", "read_request"])
    loop.run(trace.random.randint(20_000, 40_000), ["main", "event_loop", "handle", "parse"])
    slow = trace.random.random() < 0.03
    loop.run(trace.random.randint(150_000, 250_000) * (50 if slow else 1),
             ["main", "event_loop", "handle", "render"])
    loop.call("write", 10_000, ret=64, args="7",
              path=["main", "event_loop", "handle", "reply", "libc:write"])
loop.stuck("epoll_wait", args="5")
trace.print()
