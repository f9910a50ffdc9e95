# SPDX-License-Identifier: GPL-2.0-only
"""Three hundred threads that serve clients queue on one lock, which each has for 1 ms in update_table. All requests are slow alike.
Answer: update_table is the bottleneck, nearly all of the time, and each wait is as long as 300 turns; one mutex with 300 waiters; the
tree has one group.
Waits."""
from synth import Thread, Trace

LOOP = ["start_worker", "work"]
WORKERS = 300

trace = Trace(seconds=3, seed=73)
for number in range(WORKERS):
    trace.fd(1000 + number, "accepted")
workers = [Thread(trace, 101 + i, f"worker{i}", i) for i in range(WORKERS)]
for worker in workers:
    worker.state("runnable", flags=" on_cpu")
    worker.begin()
free, holder = 0, None
while True:
    # The lock goes to the thread that came first.
    number = min(range(WORKERS), key=lambda i: workers[i].now)
    worker = workers[number]
    if max(worker.now, free) > trace.end_ns - 50_000_000:
        break
    worker.sleep("recvfrom", trace.random.randint(100_000, 200_000), ret=64, args=f"{1000 + number}",
                 path=LOOP + ["read_request", "libc:recv"])
    if free > worker.now + 2000:
        worker.sleep("futex", free - worker.now - 1000, args="0x7f00,0x80,2", waker=holder,
                     path=LOOP + ["update_table", "libc:pthread_mutex_lock"])
    worker.run(trace.random.randint(900_000, 1_100_000), LOOP + ["update_table"])
    worker.call("futex", 2_000, ret=1, args="0x7f00,0x81", path=LOOP + ["update_table"])
    free, holder = worker.now, worker
    worker.call("sendto", 10_000, ret=64, args=f"{1000 + number}", path=LOOP + ["reply"])
for number, worker in enumerate(workers):
    worker.stuck("recvfrom", args=f"{1000 + number}")
trace.print()
