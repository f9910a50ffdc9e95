# SPDX-License-Identifier: GPL-2.0-only
"""A server that nobody asks anything.
Answer: nothing can be said, with the number of units and what to do."""
from synth import Thread, Trace

trace = Trace(seconds=2, seed=7)
trace.fd(5, "epoll")
trace.fd(7, "accepted")
loop = Thread(trace, 100, "server", 0)
loop.state("runnable", flags=" on_cpu")
loop.begin()
for _ in range(3):
    loop.sleep("epoll_wait", 500_000_000, ret=1, args="5")
    loop.call("read", 5_000, ret=64, args="7")
    loop.call("write", 10_000, ret=64, args="7")
loop.stuck("epoll_wait", args="5")
trace.print()
