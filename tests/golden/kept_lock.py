# SPDX-License-Identifier: GPL-2.0-only
"""Processes that serve a client each by an epoll, and wait for one another's locks by a second one. One
client pauses for 20 ms between the request that takes a lock and the one that gives it back; 4 of 100
requests of the others want that lock.
Answer: outside; who holds the lock has nothing to do but wait for its client."""
from synth import Thread, Trace

trace = Trace(seconds=6, seed=27)
for i in range(3):
    trace.fd(5, "epoll", tgid=100 + i)
    trace.fd(6, "epoll", tgid=100 + i)
    trace.fd(8, "accepted", tgid=100 + i)
holder, *others = [Thread(trace, 100 + i, "server", i, tgid=100 + i) for i in range(3)]
for process in [holder] + others:
    process.state("runnable", flags=" on_cpu")
    process.begin()


def take(process, ns):
    process.sleep("epoll_wait", ns, ret=1, args="5")
    process.call("read", 5_000, ret=64, args="8", path=["main", "serve", "read_request"])


def answer(process):
    process.run(trace.random.randint(80_000, 120_000), ["main", "serve", "answer"])
    process.call("write", 10_000, ret=64, args="8", path=["main", "serve", "answer"])


held = []  # from when, until when
while holder.now < trace.end_ns - 80_000_000:
    take(holder, trace.random.randint(2_000_000, 4_000_000))
    answer(holder)
    begin = holder.now
    take(holder, 20_000_000)
    held.append((begin, holder.now + 40_000))
    answer(holder)
for process in others:
    while process.now < trace.end_ns - 80_000_000:
        take(process, trace.random.randint(500_000, 1_500_000))
        until = [end for begin, end in held if begin < process.now < end - 3_000_000]
        if until and trace.random.random() < 0.06:
            process.sleep("epoll_wait", until[0] - process.now - 1000, ret=1, args="6", waker=holder)
        answer(process)
for process in [holder] + others:
    process.stuck("epoll_wait", args="5")
trace.print()
