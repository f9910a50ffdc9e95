# SPDX-License-Identifier: GPL-2.0-only
"""An event loop whose answers have many sizes. For three requests of ten it reads a file of users from its begin, line by line, and
that takes as long as the file is.
Answer: check_user; what is read from files is no size that a client asked for."""
from synth import Thread, Trace

LOOP = ["main", "event_loop"]

trace = Trace(seconds=30, seed=135)
trace.fd(5, "epoll")
for number in range(7, 15):
    trace.fd(number, "accepted")
trace.fd(20, "file")
loop = Thread(trace, 100, "server", 0)
loop.state("runnable", flags=" on_cpu")
loop.begin()
while loop.now < trace.end_ns - 60_000_000:
    loop.sleep("epoll_wait", trace.random.randint(10_000_000, 20_000_000), ret=1, args="5", path=LOOP + ["libc:epoll_wait"])
    client = str(trace.random.randint(7, 14))
    loop.call("read", 5_000, ret=64, args=client, path=LOOP + ["read_request"])
    size = trace.random.randint(1, 9) * 900
    loop.run(size * 20 + trace.random.randint(20_000, 40_000), LOOP + ["handle", "render"])
    if trace.random.random() < 0.3:
        for _ in range(trace.random.randint(20, 120)):
            loop.call("read", 10_000, ret=65536, args="20", path=LOOP + ["handle", "check_user", "libc:fgets"])
            loop.run(30_000, LOOP + ["handle", "check_user"])
    else:
        loop.call("read", 5_000, ret=4096, args="20", path=LOOP + ["handle", "read_page"])
    loop.call("write", size * 2, ret=size, args=client, path=LOOP + ["handle", "reply", "libc:write"])
loop.stuck("epoll_wait", args="5")
trace.print()
