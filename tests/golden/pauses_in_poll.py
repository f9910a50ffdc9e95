# SPDX-License-Identifier: GPL-2.0-only
"""A loop reads requests of clients and hands each to one of two workers, which hand the answer back by an eventfd. 1 request in 25
waits 12 ms in a poll for a file that never becomes ready.
Answer: await_file, by sleeping in poll. The workers wait for work in the futex, and their polls are in the middle of it."""
from synth import Thread, Trace

trace = Trace(seconds=6, seed=97)
trace.fd(3, "epoll")
trace.fd(7, "event")
for fd in range(10, 18):
    trace.fd(fd, "accepted")
loop = Thread(trace, 100, "server", 0)
workers = [Thread(trace, 101 + number, "server", 1 + number) for number in range(2)]
LOOP = ["main", "serve"]
WORK = ["start_worker", "work"]
for thread in [loop] + workers:
    thread.state("runnable", flags=" on_cpu")
    thread.begin()
while loop.now < trace.end_ns - 100_000_000:
    fd = trace.random.randint(10, 17)
    loop.sleep("epoll_wait", trace.random.randint(2_000_000, 6_000_000), ret=1, args="3", path=LOOP + ["libc:epoll_wait"])
    loop.call("recvfrom", 4_000, ret=60, args=f"{fd}", path=LOOP)
    worker = min(workers, key=lambda one: one.now)
    loop.call("futex", 6_000, ret=1, args=f"{0x7F10 + 64 * workers.index(worker):#x},1", path=LOOP + ["put"])
    if worker.now > loop.now - 10_000:
        continue
    worker.sleep("futex", loop.now - worker.now - 1000, ret=0, args=f"{0x7F10 + 64 * workers.index(worker):#x},0", path=WORK + ["take"],
                 waker=loop)
    worker.run(trace.random.randint(90_000, 130_000), WORK + ["parse"])
    if trace.random.random() < 0.04:
        worker.sleep("poll", 12_000_000, ret=0, args="0x9000,1", path=WORK + ["await_file", "libc:poll"])
    worker.call("write", 6_000, ret=8, args="7", path=WORK + ["hand_back"])
    if loop.now < worker.now - 1000:
        loop.sleep("epoll_wait", worker.now - loop.now, ret=1, args="3", path=LOOP + ["libc:epoll_wait"], waker=worker)
    loop.call("read", 2_000, ret=8, args="7", path=LOOP)
    loop.call("sendto", 9_000, ret=51, args=f"{fd}", path=LOOP + ["answer"])
for worker in workers:
    worker.stuck("futex", args="0x7f10,0")
trace.print()
