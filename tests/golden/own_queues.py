# SPDX-License-Identifier: GPL-2.0-only
"""A server whose three helpers each have a queue and a condition variable of their own: one gets something
to flush now and then, for the other two there was nothing since a minute before the window. All of them
wait in the same function.
Answer: nothing abnormal.
Model.
Calls."""
from pool import START, begin_late
from synth import Thread

LOOP = ["start_helper", "process_jobs", "libc:pthread_cond_wait"]
EPOLL = ["main", "serve", "libc:epoll_wait"]
trace = begin_late(seed=12)
trace.fd(5, "epoll")
trace.fd(7, "accepted")
trace.fd(9, "file")
server = Thread(trace, 100, "server", 0, now=START)
idle = [Thread(trace, 101 + i, "idle", 1 + i, now=START) for i in range(2)]
flush = Thread(trace, 103, "flush", 3, now=START)


def stand(at_stop):
    for number, thread in enumerate(idle):
        thread.state("sleeping", call="futex", since=START - 60_000_000_000,
                     args=f"{0x7e00 + 64 * number:#x},0x189,0,0,0,0", path=LOOP, at_stop=at_stop)


stand(False)
server.begin()
while server.now < trace.end_ns - 20_000_000:
    server.call("read", 5_000, ret=64, args="7", path=["main", "serve", "read_request"])
    server.run(trace.random.randint(80_000, 120_000), ["main", "serve", "make_page"])
    server.call("write", 10_000, ret=64, args="7", path=["main", "serve", "reply"])
    server.sleep("epoll_wait", trace.random.randint(300_000, 900_000), ret=1, args="5", path=EPOLL)
server.stuck("epoll_wait", args="5")

flush.begin()
for _ in range(3):
    flush.sleep("futex", 800_000_000, args="0x8f00,0x189", path=LOOP, waker=server)
    flush.sleep("fdatasync", 4_000_000, args="9", path=LOOP[:2] + ["libc:fdatasync"])
flush.stuck("futex", args="0x8f00,0x189")
stand(True)
flush.state("sleeping", call="futex", since=flush.now, args="0x8f00,0x189,0,0,0,0", path=LOOP, at_stop=True)
server.state("sleeping", call="epoll_wait", since=server.now, args="5,0,64,0,0,0", path=EPOLL, at_stop=True)
trace.print()
