# SPDX-License-Identifier: GPL-2.0-only
"""Threads that serve a connection each by poll and read. One client pauses for 20 ms inside a
transaction; 5 of 100 requests of the others wait for a row that it changed, on a condition variable.
Answer: outside; the poll in which the thread of that client waits is not to blame, though it has a stack."""
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


held = []  # from when, until when
while holder.now < trace.end_ns - 80_000_000:
    take(holder, trace.random.randint(2_000_000, 4_000_000))
    answer(holder)
    begin = holder.now
    take(holder, 20_000_000)
    held.append((begin, holder.now + 40_000))
    answer(holder)
for thread in others:
    while thread.now < trace.end_ns - 80_000_000:
        take(thread, trace.random.randint(500_000, 1_500_000))
        until = [end for begin, end in held if begin < thread.now < end - 3_000_000]
        if until and trace.random.random() < 0.06:
            thread.sleep("futex", until[0] - thread.now - 1000, args="0x7e00,0x89,0", waker=holder,
                         path=["serve", "execute", "wait_row", "libc:pthread_cond_wait"])
        answer(thread)
for thread in [holder] + others:
    thread.stuck("poll", args="0x7ffc0010,1,28800")
trace.print()
