# SPDX-License-Identifier: GPL-2.0-only
"""An event loop of many clients that sleeps for 1.5 s, in steps of 100 ms, in four turns of ten: a queue is full, and it waits
for room. Those turns take most of the window.
Answer: freezes in wait_for_room, although turns like these are not rare."""
from synth import Thread, Trace

LOOP = ["main", "event_loop"]

trace = Trace(seconds=30, seed=133)
trace.fd(5, "epoll")
for number in range(7, 15):
    trace.fd(number, "accepted")
trace.sample_from(0, 10_000_000)
loop = Thread(trace, 100, "server", 0)
loop.state("runnable", flags=" on_cpu")
loop.begin()
turn = 0
while loop.now < trace.end_ns - 2_000_000_000:
    turn += 1
    loop.call("epoll_wait", 2_000, ret=1, args="5", path=LOOP + ["libc:epoll_wait"])
    client = str(7 + turn % 8)
    loop.call("read", 5_000, ret=64, args=client, path=LOOP + ["read_request"])
    loop.run(trace.random.randint(150_000, 250_000), LOOP + ["handle", "parse"])
    if turn % 5 in (1, 3):
        for _ in range(15):
            loop.sleep("clock_nanosleep", 100_000_000, args="0", path=LOOP + ["handle", "wait_for_room", "libc:usleep"])
    loop.call("write", 10_000, ret=64, args=client, path=LOOP + ["handle", "reply", "libc:write"])
loop.stuck("epoll_wait", args="5")
trace.print()
