# SPDX-License-Identifier: GPL-2.0-only
"""Processes that serve a client each by an epoll, and wait for one another's locks by a second one. One
client pauses for 20 ms between the request that takes a lock and the one that gives it back; 4 of 100
requests of the others want that lock.
Answer: outside; who holds the lock has nothing to do but wait for its client."""
from pausing import serve
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


def wait(process, ns):
    process.sleep("epoll_wait", ns, ret=1, args="6", waker=holder)


serve(trace, holder, others, take, answer, wait)
for process in [holder] + others:
    process.stuck("epoll_wait", args="5")
trace.print()
