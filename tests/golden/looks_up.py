# SPDX-License-Identifier: GPL-2.0-only
"""A healthy event loop, and beside it a thread that looks names up: for each it makes a socket of datagrams, asks, and sleeps until the
answer comes, for 30 ms, and for 1.5 s twice.
Answer: nothing abnormal; who asks by datagrams serves nobody by them."""
from synth import Thread, Trace

trace = Trace(seconds=30, seed=138)
trace.fd(5, "epoll")
for number in range(7, 15):
    trace.fd(number, "accepted")
loop, looker = Thread(trace, 100, "server", 0), Thread(trace, 101, "looker", 1)
for thread in (loop, looker):
    thread.state("runnable", flags=" on_cpu")
    thread.begin()
while loop.now < trace.end_ns - 30_000_000:
    loop.sleep("epoll_wait", trace.random.randint(6_000_000, 14_000_000), ret=1, args="5", path=["main", "serve", "libc:epoll_wait"])
    client = str(trace.random.randint(7, 14))
    loop.call("read", 5_000, ret=64, args=client, path=["main", "serve", "read_request"])
    loop.run(trace.random.randint(80_000, 120_000), ["main", "serve", "answer"])
    loop.call("write", 10_000, ret=64, args=client, path=["main", "serve", "answer"])
loop.stuck("epoll_wait", args="5")
slow = [9_000_000_000, 19_000_000_000]
while looker.now < trace.end_ns - 3_000_000_000:
    looker.sleep("clock_nanosleep", 200_000_000, args="0", path=["main", "look_up", "libc:nanosleep"])
    looker.call("socket", 5_000, ret=20, path=["main", "look_up", "ask"])
    looker.call("sendto", 5_000, ret=40, args="20", path=["main", "look_up", "ask"])
    late = slow and looker.now > slow[0]
    looker.sleep("recvfrom", 1_500_000_000 if late else 30_000_000, ret=80, args="20", path=["main", "look_up", "ask", "libc:recvfrom"])
    slow = slow[1:] if late else slow
    looker.call("close", 5_000, args="20", path=["main", "look_up", "ask"])
looker.stuck("clock_nanosleep", args="0")
trace.print()
