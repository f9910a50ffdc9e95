# SPDX-License-Identifier: GPL-2.0-only
"""An event loop with three bugs in different requests; one of the functions has a fifth of usual time too.
Answer: all three; checksum stands out only where the time of the other two is left aside."""
from synth import Thread, Trace

HANDLE = ["main", "event_loop", "handle"]
trace = Trace(seconds=6, seed=35)
trace.fd(5, "epoll")
trace.fd(7, "accepted")
loop = Thread(trace, 100, "server", 0)
loop.state("runnable", flags=" on_cpu")
loop.begin()
while loop.now < trace.end_ns - 60_000_000:
    loop.sleep("epoll_wait", trace.random.randint(200_000, 800_000), ret=1, args="5",
               path=["main", "event_loop", "libc:epoll_wait"])
    loop.call("read", 5_000, ret=64, args="7", path=["main", "event_loop", "read_request"])
    loop.run(trace.random.randint(70_000, 90_000), HANDLE + ["parse"])
    loop.run(trace.random.randint(18_000, 22_000), HANDLE + ["checksum"])
    if trace.random.random() < 0.06:
        loop.run(trace.random.randint(400_000, 600_000),
                 HANDLE + [trace.random.choice(["checksum", "add_visit", "render"])])
    loop.call("write", 10_000, ret=64, args="7", path=HANDLE + ["reply", "libc:write"])
loop.stuck("epoll_wait", args="5")
trace.print()
