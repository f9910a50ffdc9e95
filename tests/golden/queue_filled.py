# SPDX-License-Identifier: GPL-2.0-only
"""An event loop reads requests and gives them to a worker, by a queue. In one turn of 25 it reads four of them, for pictures, so the worker finds
its queue filled after an answer, and goes on without a sleep. A picture takes as long as any other page.
Answer: nothing abnormal. The work for a request ends with its answer."""
from synth import Thread, Trace

LOOP = ["main", "serve"]
WORK = ["start_worker", "work"]
trace = Trace(seconds=5, seed=58)
trace.fd(5, "epoll")
for fd in range(10, 14):
    trace.fd(fd, "accepted")
loop = Thread(trace, 100, "server", 0)
worker = Thread(trace, 101, "worker", 1)
for thread in (loop, worker):
    thread.state("runnable", flags=" on_cpu")
    thread.begin()
while loop.now < trace.end_ns - 20_000_000:
    loop.sleep("epoll_wait", trace.random.randint(2_000_000, 3_000_000), ret=1, args="5", path=LOOP + ["libc:epoll_wait"])
    clients = range(10, 14) if trace.random.random() < 0.04 else [trace.random.randint(10, 13)]
    for fd in clients:
        loop.call("read", 3_000, ret=64, args=fd, path=LOOP + ["read_request"])
    worker.sleep("futex", loop.now - worker.now, args="0x7e00,0x189", path=WORK + ["libc:pthread_cond_wait"], waker=loop)
    loop.call("futex", 2_000, ret=1, args="0x7e00,0x81,1", path=LOOP + ["give"])
    for fd in clients:
        worker.run(trace.random.randint(180_000, 220_000), WORK + ["make_picture" if len(clients) > 1 or trace.random.random() < 0.1 else "make_page"])
        worker.call("write", 8_000, ret=64, args=fd, path=WORK + ["answer"])
worker.stuck("futex", args="0x7e00,0x189")
loop.stuck("epoll_wait", args="5")
trace.print()
