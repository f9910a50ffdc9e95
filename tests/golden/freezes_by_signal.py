# SPDX-License-Identifier: GPL-2.0-only
"""An event loop that a timer's signal interrupts twice, to read its lists again, for 0.7 s. These two turns took no request, and are
of a kind of their own, of which there are too few to judge.
Answer: two freezes, in load_list."""
from synth import Thread, Trace

LOOP = ["main", "event_loop"]
trace = Trace(seconds=16, seed=31)
trace.fd(5, "epoll")
for number in range(7, 15):
    trace.fd(number, "accepted")
trace.fd(20, "file")
trace.sample_from(0, 10_000_000)
loop = Thread(trace, 100, "server", 0)
loop.state("runnable", flags=" on_cpu")
loop.begin()
due = [5_000_000_000, 11_000_000_000]
while loop.now < trace.end_ns - 60_000_000:
    if due and loop.now > due[0]:
        due.pop(0)
        loop.sleep("epoll_wait", trace.random.randint(2_000_000, 4_000_000), ret=-4, args="5", path=LOOP + ["libc:epoll_wait"])
        loop.call("newfstatat", 4_000, path=LOOP + ["reload_lists"])
        loop.call("read", 20_000, ret=65536, args="20", path=LOOP + ["reload_lists", "load_list"])
        loop.run(trace.random.randint(680_000_000, 720_000_000), LOOP + ["reload_lists", "load_list"])
        loop.call("munmap", 4_000, path=LOOP + ["reload_lists"])
    loop.sleep("epoll_wait", trace.random.randint(4_000_000, 8_000_000), ret=1, args="5", path=LOOP + ["libc:epoll_wait"])
    client = trace.random.randint(7, 14)
    loop.call("read", 5_000, ret=64, args=str(client), path=LOOP + ["read_request"])
    loop.run(trace.random.randint(200_000, 300_000), LOOP + ["handle", "parse"])
    loop.call("write", 10_000, ret=64, args=str(client), path=LOOP + ["handle", "reply", "libc:write"])
loop.stuck("epoll_wait", args="5")
trace.print()
