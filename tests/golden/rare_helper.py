# SPDX-License-Identifier: GPL-2.0-only
"""An event loop answers its requests itself. One in 90 it hands to a thread besides, and one in 110 to another.
Answer: nothing abnormal; of the two threads requests go on to the first alone, the other keeps house.
Model."""
from synth import Thread, Trace

trace = Trace(seconds=6, seed=31)
trace.fd(5, "epoll")
trace.fd(7, "accepted")
loop = Thread(trace, 100, "server", 0)
often = Thread(trace, 101, "notifier", 1)
seldom = Thread(trace, 102, "purger", 2)
for thread in (loop, often, seldom):
    thread.state("runnable", flags=" on_cpu")
    thread.begin()
number = 0
while loop.now < trace.end_ns - 60_000_000:
    number += 1
    loop.sleep("epoll_wait", trace.random.randint(100_000, 300_000), ret=1, args="5",
               path=["main", "event_loop", "libc:epoll_wait"])
    loop.call("read", 5_000, ret=64, args="7", path=["main", "event_loop", "read_job"])
    loop.run(trace.random.randint(80_000, 120_000), ["main", "event_loop", "answer"])
    loop.call("write", 10_000, ret=64, args="7", path=["main", "event_loop", "send_answer"])
for worker, part, queue in ((often, 90, "0x7e00"), (seldom, 110, "0x7f00")):
    for _ in range(number // part):
        worker.sleep("futex", 5_900_000_000 // (number // part) - 120_000, args=queue + ",0x89,0", waker=loop,
                     path=["start_worker", "pop", "libc:pthread_cond_wait"])
        worker.run(trace.random.randint(90_000, 110_000), ["start_worker", "do_job"])
    worker.stuck("futex", args=queue + ",0x89,0")
loop.stuck("epoll_wait", args="5")
trace.print()
