# SPDX-License-Identifier: GPL-2.0-only
"""Three threads serve clients. Beside them one accepts with a time limit of 5 s, and nobody comes; one swept a cache in the
first seconds and then sleeps by a futex with a time limit; one comes by a nanosleep each 20 s. A fourth gives workers tasks in
between, and is idle itself: the workers wait for it by a futex after a poll that brought nothing.
Answer: nothing abnormal; what sleeps serves nobody, and no client waits for it."""
from synth import Thread, Trace

WAIT = "0x7f0000000010,0x189,0,0x7f0000001000"  # FUTEX_WAIT_BITSET, private, with a time limit

trace = Trace(seconds=30, seed=132)
trace.fd(3, "listen")
for number in (7, 8, 9):
    trace.fd(number, "accepted")
servers = [Thread(trace, 100 + i, "worker", i) for i in range(3)]
giver = Thread(trace, 103, "giver", 3)
acceptor, sweeper, cleaner = (Thread(trace, 104 + i, name, 4 + i)
                              for i, name in enumerate(("acceptor", "sweeper", "cleaner")))
for thread in servers + [giver, acceptor, sweeper, cleaner]:
    thread.state("runnable", flags=" on_cpu")
    thread.begin()
acceptor.now += 1_000_000
while acceptor.now < trace.end_ns - 6_000_000_000:
    acceptor.sleep("accept", 5_000_000_000, ret=-11, args="3", path=["main", "take_clients", "libc:accept"])
acceptor.stuck("accept", args="3")
while sweeper.now < 2_000_000_000:
    sweeper.sleep("clock_nanosleep", 10_000_000, args="0", path=["main", "sweep", "libc:nanosleep"])
    sweeper.run(200_000, ["main", "sweep", "test_entry"])
sweeper.stuck("futex", args=WAIT)
cleaner.sleep("clock_nanosleep", 9_000_000_000, args="0", path=["main", "clean", "libc:nanosleep"])
cleaner.stuck("clock_nanosleep", args="0")
while giver.now < trace.end_ns - 40_000_000:
    giver.sleep("epoll_wait", 10_000_000, args="5", path=["main", "give", "libc:epoll_wait"])
    giver.run(20_000, ["main", "give"])
giver.stuck("epoll_wait", args="5")
for i, server in enumerate(servers):
    futex = f"{0x7f0000002000 + 64 * i:#x},0x80,0"
    while server.now < trace.end_ns - 600_000_000:
        for _ in range(trace.random.randint(5, 15)):
            server.sleep("poll", trace.random.randint(3_000_000, 6_000_000), ret=1, args=f"{0x7f0000003000 + 64 * i:#x},1",
                         path=["main", "serve", "libc:poll"])
            server.call("read", 5_000, ret=64, args=str(7 + i), path=["main", "serve", "read_request"])
            server.run(trace.random.randint(80_000, 120_000), ["main", "serve", "answer"])
            server.call("write", 10_000, ret=64, args=str(7 + i), path=["main", "serve", "answer"])
        server.sleep("poll", 50_000_000, args=f"{0x7f0000003000 + 64 * i:#x},1", path=["main", "serve", "libc:poll"])
        server.sleep("futex", trace.random.randint(300_000_000, 500_000_000), args=futex, waker=giver,
                     path=["main", "next_task", "libc:pthread_cond_wait"])
    server.stuck("futex", args=futex)
trace.print()
