# SPDX-License-Identifier: GPL-2.0-only
"""An event loop in which every request walks a chain that used not to be there.
Answer: find_item, by time; without the baseline nothing abnormal could be seen.
Baseline: healthy."""
from synth import Thread, Trace

trace = Trace(seconds=4)
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
    loop.run(trace.random.randint(800_000, 1_200_000),
             ["main", "event_loop", "handle", "find_item"])
    loop.call("write", 10_000, ret=64, args="7",
              path=["main", "event_loop", "handle", "reply", "libc:write"])
loop.stuck("epoll_wait", args="5")
trace.print()
