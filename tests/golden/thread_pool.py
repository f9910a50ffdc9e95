# SPDX-License-Identifier: GPL-2.0-only
"""Workers that take jobs from a queue in memory (a condition variable) and a thread that fills it;
3 jobs of 100 compress far too much.
Answer: compress, by time; neither the idle waits for jobs nor the thread that fills the queue.
Metrics."""
from synth import Thread, Trace

QUEUE = "0x7e00,0x89,0"
trace = Trace(seconds=6, seed=11)
trace.fd(5, "epoll")
trace.fd(7, "accepted")
master = Thread(trace, 100, "master", 0)
workers = [Thread(trace, 101 + i, f"pool-{i}", 1 + i) for i in range(3)]
for thread in [master] + workers:
    thread.state("runnable", flags=" on_cpu")
    thread.begin()
while master.now < trace.end_ns - 60_000_000:
    master.sleep("epoll_wait", trace.random.randint(300_000, 600_000), ret=1, args="5",
                 path=["main", "accept_loop", "libc:epoll_wait"])
    master.call("read", 5_000, ret=64, args="7", path=["main", "accept_loop", "read_job"])
    master.run(20_000, ["main", "accept_loop", "parse_job"])
    master.call("futex", 3_000, ret=1, args="0x7e00,0x81", path=["main", "accept_loop", "push"])
for worker in workers:
    while worker.now < trace.end_ns - 60_000_000:
        worker.sleep("futex", trace.random.randint(400_000, 900_000), args=QUEUE, waker=master,
                     path=["start_worker", "pop", "libc:pthread_cond_wait"])
        worker.run(trace.random.randint(100_000, 160_000), ["start_worker", "do_job", "encode"])
        if trace.random.random() < 0.03:
            worker.run(trace.random.randint(4_000_000, 8_000_000),
                       ["start_worker", "do_job", "compress"])
        worker.call("write", 10_000, ret=64, args="7", path=["start_worker", "do_job", "answer"])
    worker.stuck("futex", args=QUEUE)
master.stuck("epoll_wait", args="5")
trace.print()
