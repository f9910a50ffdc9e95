# SPDX-License-Identifier: GPL-2.0-only
"""Threads that serve a connection each by poll and read. One client pauses for 20 ms inside a
transaction; 5 of 100 requests of the others wait for a row that it changed, on a condition variable.
Answer: outside; the poll in which the thread of that client waits is not to blame, though it has a stack."""
from pausing import serve
from synth import Thread, Trace

trace = Trace(seconds=6, seed=28)
holder, *others = [Thread(trace, 100 + i, "server", i) for i in range(3)]
for number, thread in enumerate([holder] + others):
    trace.fd(7 + number, "accepted")
    thread.fd = 7 + number
    thread.state("runnable", flags=" on_cpu")
    thread.begin()


def take(thread, ns):
    thread.sleep("poll", ns, ret=1, args="0x7ffc0010,1,28800",
                 path=["serve", "read_packet", "wait_packet", "libc:poll"])
    thread.call("recvfrom", 5_000, ret=64, args=f"{thread.fd}", path=["serve", "read_packet"])


def answer(thread):
    thread.run(trace.random.randint(80_000, 120_000), ["serve", "execute"])
    thread.call("sendto", 10_000, ret=64, args=f"{thread.fd}", path=["serve", "answer"])


def wait(thread, ns):
    thread.sleep("futex", ns, args="0x7e00,0x89,0", waker=holder,
                 path=["serve", "execute", "wait_row", "libc:pthread_cond_wait"])


serve(trace, holder, others, take, answer, wait)
for thread in [holder] + others:
    thread.stuck("poll", args="0x7ffc0010,1,28800")
trace.print()
