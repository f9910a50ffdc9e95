# SPDX-License-Identifier: GPL-2.0-only
"""An event loop reads requests and sends answers; between, a pool does the work, and wakes the loop by
an eventfd; 3 jobs of 100 compress far too much.
Answer: compress, by time: no worker touches a client's socket, but the loop waits for what they do.
Model."""
from synth import Thread, Trace

QUEUE = "0x7e00,0x89,0"
trace = Trace(seconds=6, seed=24)
trace.fd(5, "epoll")
trace.fd(6, "event")
trace.fd(7, "accepted")
loop = Thread(trace, 100, "server", 0)
workers = [Thread(trace, 101 + i, f"pool-{i}", 1 + i) for i in range(3)]
for thread in [loop] + workers:
    thread.state("runnable", flags=" on_cpu")
    thread.begin()
number = 0
while loop.now < trace.end_ns - 60_000_000:
    number += 1
    loop.sleep("epoll_wait", trace.random.randint(100_000, 300_000), ret=1, args="5",
               waker=workers[number // 2 % 3] if number % 2 else None,
               path=["main", "event_loop", "libc:epoll_wait"])
    if number % 2:
        loop.call("read", 2_000, ret=8, args="6", path=["main", "event_loop", "take_answer"])
        loop.call("write", 10_000, ret=64, args="7", path=["main", "event_loop", "send_answer"])
        continue
    loop.call("read", 5_000, ret=64, args="7", path=["main", "event_loop", "read_job"])
    loop.call("futex", 3_000, ret=1, args="0x7e00,0x81", path=["main", "event_loop", "push"])
for worker in workers:
    while worker.now < trace.end_ns - 60_000_000:
        worker.sleep("futex", trace.random.randint(400_000, 900_000), args=QUEUE, waker=loop,
                     path=["start_worker", "pop", "libc:pthread_cond_wait"])
        worker.run(trace.random.randint(100_000, 160_000), ["start_worker", "do_job", "encode"])
        if trace.random.random() < 0.03:
            worker.run(trace.random.randint(4_000_000, 8_000_000),
                       ["start_worker", "do_job", "compress"])
        worker.call("write", 5_000, ret=8, args="6", path=["start_worker", "do_job", "hand_back"])
    worker.stuck("futex", args=QUEUE)
loop.stuck("epoll_wait", args="5")
trace.print()
