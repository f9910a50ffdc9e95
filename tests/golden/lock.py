# SPDX-License-Identifier: GPL-2.0-only
"""Workers that wait for a lock which a maintenance thread holds while it computes.
Answer: rebalance, as the holder, and not the workers that wait.
Metrics."""
from synth import Trace
from workers import begin_workers

LOCK = "0x7f00,0x80,2"
trace = Trace(seconds=6, seed=4)
workers, keeper = begin_workers(trace)

# The keeper computes under the lock from begin to end, once every 100 ms.
held = []
while keeper.now < trace.end_ns - 200_000_000:
    keeper.sleep("nanosleep", 95_000_000, path=["start_keeper", "libc:nanosleep"])
    begin = keeper.now
    keeper.run(5_000_000, ["start_keeper", "keep", "rebalance"])
    held.append((begin, keeper.now))
    keeper.call("futex", 2_000, ret=1, args="0x7f00,0x81", path=["start_keeper", "keep"])

for index, worker in enumerate(workers):
    while worker.now < trace.end_ns - 200_000_000:
        worker.sleep("epoll_wait", trace.random.randint(300_000, 900_000), ret=1,
                     args=str(5 + index), path=["start_worker", "worker_loop", "libc:epoll_wait"])
        worker.call("read", 5_000, ret=64, args=str(15 + index),
                    path=["start_worker", "worker_loop", "read_request"])
        for begin, end in held:
            if begin <= worker.now < end - 200_000:
                worker.sleep("futex", end - worker.now - 1000, args=LOCK, waker=keeper,
                             path=["start_worker", "worker_loop", "get_item",
                                   "libc:pthread_mutex_lock"])
        worker.run(trace.random.randint(80_000, 120_000),
                   ["start_worker", "worker_loop", "get_item"])
        worker.call("write", 10_000, ret=64, args=str(15 + index),
                    path=["start_worker", "worker_loop", "reply", "libc:write"])
    worker.stuck("epoll_wait", args=str(5 + index))
keeper.stuck("nanosleep")
trace.print()
