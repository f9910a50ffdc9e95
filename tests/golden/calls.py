# SPDX-License-Identifier: GPL-2.0-only
"""An event loop in which 4 requests of 100 look at a file 80 times instead of once.
Answer: check_file, by the number of its calls."""
from synth import Thread, Trace

trace = Trace(seconds=5, seed=8)
trace.fd(5, "epoll")
trace.fd(7, "accepted")
loop = Thread(trace, 100, "server", 0)
loop.state("runnable", flags=" on_cpu")
loop.begin()
while loop.now < trace.end_ns - 20_000_000:
    loop.sleep("epoll_wait", trace.random.randint(200_000, 800_000), ret=1, args="5",
               path=["main", "event_loop", "libc:epoll_wait"])
    loop.call("read", 5_000, ret=64, args="7", path=["main", "event_loop", "read_request"])
    loop.run(trace.random.randint(80_000, 120_000), ["main", "event_loop", "handle", "parse"])
    for _ in range(80 if trace.random.random() < 0.04 else 1):
        loop.call("newfstatat", 30_000, path=["main", "event_loop", "handle", "check_file",
                                              "libc:fstatat"])
    loop.call("write", 10_000, ret=64, args="7",
              path=["main", "event_loop", "handle", "reply", "libc:write"])
loop.stuck("epoll_wait", args="5")
trace.print()
