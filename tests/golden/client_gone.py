# SPDX-License-Identifier: GPL-2.0-only
"""Workers that each serve one client after the other. 1 client in 25 asks for what has to be looked up, which takes 20 ms.
1 in 12 closes its connection early: the worker cannot write to it, and sleeps 100 ms before it takes the next one.
Answer: look_up, and not clean_up: nobody waits for that."""
from synth import Thread, Trace

LOOP = ["start_worker", "serve"]

trace = Trace(seconds=8, seed=62)
trace.fd(4, "listen")
for number in range(4):
    trace.fd(7 + number, "accepted")
for number in range(4):
    fd = f"{7 + number}"
    worker = Thread(trace, 101 + number, "worker", number)
    worker.state("runnable", flags=" on_cpu")
    worker.begin()
    while worker.now < trace.end_ns - 200_000_000:
        worker.sleep("read", trace.random.randint(2_000_000, 6_000_000), ret=64, args=fd, path=LOOP + ["libc:read"])
        worker.run(trace.random.randint(90_000, 130_000), LOOP + ["parse"])
        if trace.random.random() < 0.04:
            worker.sleep("poll", trace.random.randint(19_000_000, 21_000_000), ret=1, path=LOOP + ["look_up", "libc:poll"])
        if trace.random.random() < 0.08:
            worker.call("write", 12_000, ret=-32, args=fd, path=LOOP + ["reply", "libc:write"])
            worker.sleep("clock_nanosleep", 100_000_000, path=LOOP + ["clean_up", "libc:nanosleep"])
            continue
        worker.call("write", 12_000, ret=64, args=fd, path=LOOP + ["reply", "libc:write"])
    worker.stuck("read", args=fd)
trace.print()
