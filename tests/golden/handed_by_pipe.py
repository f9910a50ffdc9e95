# SPDX-License-Identifier: GPL-2.0-only
"""A thread selects among clients, and hands each that asks to one of three workers through a pipe. The workers read what
is asked themselves, and wait for most of the time. 1 request in 25 scans all rules.
Answer: scan_rules, by time; no request lasts while its worker waits at the pipe."""
from synth import Thread, Trace

trace = Trace(seconds=6, seed=52)
trace.fd(3, "listen")
trace.fd(5, "pipe")
trace.fd(6, "pipe")
for fd in range(10, 22):
    trace.fd(fd, "accepted")
master = Thread(trace, 100, "server", 0)
workers = [Thread(trace, 101 + i, "server", 1 + i) for i in range(3)]
SELECT = ["main", "accept_clients", "libc:select"]
WORK = ["start_worker", "serve"]
for thread in [master] + workers:
    thread.state("runnable", flags=" on_cpu")
    thread.begin()
while master.now < trace.end_ns - 60_000_000:
    master.sleep("select", trace.random.randint(1_000_000, 6_000_000), ret=1, args="22", path=SELECT)
    worker = min(workers, key=lambda one: one.now)
    fd = trace.random.randint(10, 21)
    master.call("write", 6_000, ret=4, args="6", path=["main", "accept_clients"])
    if worker.now > master.now - 10_000:
        continue
    worker.sleep("read", master.now - worker.now - 1000, ret=4, args="5", path=["start_worker", "next_client", "libc:read"],
                 waker=master)
    worker.call("read", 4_000, ret=64, args=fd, path=WORK + ["libc:read"])
    worker.run(trace.random.randint(90_000, 130_000), WORK + ["make_page"])
    if trace.random.random() < 0.04:
        worker.run(trace.random.randint(3_000_000, 5_000_000), WORK + ["scan_rules"])
    worker.call("write", 9_000, ret=512, args=fd, path=WORK + ["send_page"])
for worker in workers:
    worker.stuck("read", args="5")
trace.print()
