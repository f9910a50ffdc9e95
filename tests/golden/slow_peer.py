# SPDX-License-Identifier: GPL-2.0-only
"""A server that asks a backend in every request, and the backend now and then takes long.
Answer: outside the program: the peer; ask_backend waits for it."""
from synth import Thread, Trace

trace = Trace(seconds=8, seed=7)
trace.fd(5, "epoll")
trace.fd(7, "accepted")
trace.fd(9, "connected")
loop = Thread(trace, 100, "server", 0)
loop.state("runnable", flags=" on_cpu")
loop.begin()
while loop.now < trace.end_ns - 60_000_000:
    loop.sleep("epoll_wait", trace.random.randint(200_000, 800_000), ret=1, args="5",
               path=["main", "event_loop", "libc:epoll_wait"])
    loop.call("read", 5_000, ret=64, args="7", path=["main", "event_loop", "read_request"])
    loop.run(trace.random.randint(80_000, 120_000), ["main", "event_loop", "handle", "parse"])
    slow = trace.random.random() < 0.03
    loop.sleep("recvfrom", trace.random.randint(150_000, 250_000) * (100 if slow else 1), ret=64, args="9",
               path=["main", "event_loop", "handle", "ask_backend", "libc:recv"])
    loop.call("write", 10_000, ret=64, args="7",
              path=["main", "event_loop", "handle", "reply", "libc:write"])
loop.stuck("epoll_wait", args="5")
trace.print()
