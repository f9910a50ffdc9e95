# SPDX-License-Identifier: GPL-2.0-only
"""An event loop that reads requests in two parts, and 4 of 100 byte by byte after the first.
Answer: read_request, by the number of its calls; a request that is read in parts is one."""
from synth import Thread, Trace

LOOP = ["main", "event_loop"]
trace = Trace(seconds=5, seed=34)
trace.fd(5, "epoll")
trace.fd(7, "accepted")
loop = Thread(trace, 100, "server", 0)
loop.state("runnable", flags=" on_cpu")
loop.begin()
while loop.now < trace.end_ns - 20_000_000:
    loop.sleep("epoll_wait", trace.random.randint(200_000, 800_000), ret=1, args="5",
               path=LOOP + ["libc:epoll_wait"])
    loop.call("read", 5_000, ret=256, args="7", path=LOOP + ["read_request"])
    for _ in range(400 if trace.random.random() < 0.04 else 1):
        loop.call("read", 2_000, ret=1, args="7", path=LOOP + ["read_request", "libc:read"])
        loop.run(1_000, LOOP + ["read_request"])
    loop.run(trace.random.randint(80_000, 120_000), LOOP + ["handle", "parse"])
    loop.call("write", 10_000, ret=64, args="7", path=LOOP + ["handle", "reply", "libc:write"])
loop.stuck("epoll_wait", args="5")
trace.print()
