# SPDX-License-Identifier: GPL-2.0-only
"""A loop that reads requests and gives each to one of two workers, who read a file and answer. Nothing is slow. The sizes: requests
of 100 or 300 bytes, answers of 1,000 and, one in four, of 5,000 bytes. The workers take 0.2 ms, the loop 20 µs.
Profile."""
from synth import Thread, Trace

QUEUE = "0x7e00,0x89,0"
trace = Trace(seconds=2, seed=25)
trace.fd(3, "listen")
trace.fd(4, "epoll")
trace.fd(7, "accepted")
trace.fd(8, "accepted")
trace.fd(9, "file")
loop = Thread(trace, 100, "loop", 0)
workers = [Thread(trace, 101 + i, f"pool-{i}", 1 + i) for i in range(2)]
for thread in [loop] + workers:
    thread.state("runnable", flags=" on_cpu")
    thread.begin()
number = 0
while loop.now < trace.end_ns - 20_000_000:
    client = 7 + number % 2
    loop.sleep("epoll_wait", 4_000_000, ret=1, args="4", path=["main", "event_loop", "libc:epoll_wait"])
    loop.call("read", 5_000, ret=300 if number % 3 == 0 else 100, args=f"{client}", path=["main", "event_loop", "take"])
    loop.run(20_000, ["main", "event_loop", "parse"])
    loop.call("futex", 3_000, ret=1, args="0x7e00,0x81", path=["main", "event_loop", "push"])
    worker = workers[number % 2]
    worker.sleep("futex", loop.now - worker.now, args=QUEUE, waker=loop, path=["start_worker", "pop", "libc:pthread_cond_wait"])
    worker.call("pread64", 8_000, ret=4096, args="9", path=["start_worker", "do_job", "load"])
    worker.run(200_000, ["start_worker", "do_job", "work"])
    worker.call("write", 10_000, ret=5000 if number % 4 == 0 else 1000, args=f"{client}",
                path=["start_worker", "do_job", "answer"])
    number += 1
loop.stuck("epoll_wait", args="4")
for worker in workers:
    worker.stuck("futex", args=QUEUE)
trace.print()
