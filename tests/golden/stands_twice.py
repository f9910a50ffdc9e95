# SPDX-License-Identifier: GPL-2.0-only
"""Three workers sleep in recvfrom on one socket of datagrams. Twice in 20 s one of them asks a resolver, and polls for a second for
an answer that does not come; the others go on.
Answer: ask_resolver, with low confidence; two requests of a second are enough where others take 0.1 ms."""
from synth import Thread, Trace

trace = Trace(seconds=20, seed=136)
trace.fd(3, "datagram")
workers = [Thread(trace, 100 + i, "worker", i) for i in range(3)]
for worker in workers:
    worker.state("runnable", flags=" on_cpu")
    worker.begin()
for i, worker in enumerate(workers):
    due = [(4, 13), (), ()][i]
    while worker.now < trace.end_ns - 1_200_000_000:
        worker.sleep("recvfrom", trace.random.randint(15_000_000, 35_000_000), ret=285, args="3",
                     path=["main", "serve", "libc:recvfrom"])
        worker.run(trace.random.randint(60_000, 90_000), ["main", "serve", "route"])
        if due and worker.now > due[0] * 1_000_000_000:
            due = due[1:]
            worker.sleep("poll", 1_001_000_000, args="0x7ffd1000,1", path=["main", "serve", "route", "ask_resolver", "libc:poll"])
        worker.call("sendto", 10_000, ret=295, args="3", path=["main", "serve", "reply"])
    worker.stuck("recvfrom", args="3")
trace.print()
