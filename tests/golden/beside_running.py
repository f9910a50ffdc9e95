# SPDX-License-Identifier: GPL-2.0-only
"""A server whose stack at the begin is that of its start, in main, and which runs as the trace ends: nothing shows where it waits for
work. A process that it began has slept in pause() for 2 s, in the function that has the server's loop.
Answer: nothing abnormal. That all of the server's requests run below run_loop does not make the sleep in it a hang."""
from pool import START, begin_late
from synth import Thread

LOOP = ["main", "run_loop"]
trace = begin_late(71)
trace.fd(7, "accepted")
server = Thread(trace, 100, "server", 0, now=START)
server.state("sleeping", call="read", since=START - 1_000_000_000, args="4", path=["main", "libc:read"])
child = Thread(trace, 101, "server", 1, now=START)
child.state("sleeping", call="pause", since=START - 60_000_000_000, path=LOOP + ["libc:pause"])
server.begin()
while server.now < trace.end_ns - 5_000_000:
    server.sleep("epoll_wait", trace.random.randint(300_000, 900_000), ret=1, args="5", path=LOOP + ["libc:epoll_wait"])
    server.call("read", 5_000, ret=64, args="7", path=LOOP + ["serve", "libc:read"])
    server.run(trace.random.randint(80_000, 120_000), LOOP + ["serve"])
    server.call("write", 10_000, ret=64, args="7", path=LOOP + ["serve", "libc:write"])
server.run(trace.end_ns - server.now - 1000, LOOP + ["serve"])
server.state("runnable", flags=" on_cpu", at_stop=True)
child.state("sleeping", call="pause", since=START - 60_000_000_000, path=LOOP + ["libc:pause"], at_stop=True)
trace.print()
