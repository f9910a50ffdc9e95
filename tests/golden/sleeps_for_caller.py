# SPDX-License-Identifier: GPL-2.0-only
"""1 request in 25 waits in take_lock_file, 3 to 9 ms, by a function of the program's library that only sleeps: sleep_usecs.
Answer: take_lock_file, which decides when to sleep, and for how long."""
from synth import Thread, Trace

trace = Trace(seconds=6, seed=76)
trace.library_function("sleep_usecs", "libserver.so.0")
trace.fd(5, "epoll")
trace.fd(7, "accepted")
LOOP = ["main", "take_turn"]
loop = Thread(trace, 100, "server", 0)
loop.state("runnable", flags=" on_cpu")
loop.begin()
while loop.now < trace.end_ns - 60_000_000:
    loop.sleep("epoll_wait", trace.random.randint(500_000, 1_500_000), ret=1, args="5", path=LOOP + ["libc:epoll_wait"])
    loop.call("read", 5_000, ret=64, args="7", path=LOOP + ["libc:read"])
    loop.run(trace.random.randint(150_000, 250_000), LOOP + ["parse"])
    if trace.random.random() < 0.04:
        loop.sleep("nanosleep", trace.random.randint(3_000_000, 9_000_000), args="0x1000,0",
                   path=LOOP + ["save", "take_lock_file", "sleep_usecs", "libc:nanosleep"])
    loop.call("write", 8_000, ret=500, args="7", path=LOOP + ["answer", "libc:write"])
trace.print()
