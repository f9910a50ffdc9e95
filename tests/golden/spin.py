# SPDX-License-Identifier: GPL-2.0-only
"""A worker that serves for a second, and then runs for ever without a call.
Answer: a spin in next_entry, that alone."""
from synth import Thread, Trace

trace = Trace(seconds=4, seed=6)
trace.fd(5, "epoll")
trace.fd(7, "accepted")
loop = Thread(trace, 100, "server", 0)
loop.state("runnable", flags=" on_cpu")
loop.begin()
while loop.now < 1_000_000_000:
    loop.sleep("epoll_wait", trace.random.randint(200_000, 800_000), ret=1, args="5",
               path=["main", "event_loop", "libc:epoll_wait"])
    loop.call("read", 5_000, ret=64, args="7", path=["main", "event_loop", "read_request"])
    loop.run(trace.random.randint(80_000, 120_000), ["main", "event_loop", "handle", "parse"])
    loop.call("write", 10_000, ret=64, args="7",
              path=["main", "event_loop", "handle", "reply", "libc:write"])
loop.sleep("epoll_wait", 300_000, ret=1, args="5", path=["main", "event_loop", "libc:epoll_wait"])
loop.call("read", 5_000, ret=64, args="7", path=["main", "event_loop", "read_request"])
while loop.now < trace.end_ns - 10_000_000:
    loop.run(6_000_000, ["main", "event_loop", "handle", "walk_list", "next_entry"])
    loop.run(300_000, ["main", "event_loop", "handle", "walk_list"])
trace.print()
