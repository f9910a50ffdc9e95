# SPDX-License-Identifier: GPL-2.0-only
"""A server on io_uring, whose one thread receives and sends by it: a turn of its loop handles a request that was received, or only the end of
a send. No read and no write is a call. One request in 30 also sleeps in check_rate, for 6 ms. A thread beside it writes a file each 50 ms, and
in one of ten rounds for 30 ms; nobody waits for it.
Answer: check_rate, and not write_file."""
from synth import Thread, Trace

LOOP = ["main", "run_loop"]

trace = Trace(seconds=4, seed=211)
trace.fd(4, "listen")
trace.fd(5, "unknown")
loop = Thread(trace, 100, "server", 0)
loop.state("runnable", flags=" on_cpu")
loop.begin()
while loop.now < trace.end_ns - 100_000_000:
    loop.sleep("io_uring_enter", trace.random.randint(1_000_000, 3_000_000), ret=1, args="5", path=LOOP + ["libc:syscall"])
    loop.run(trace.random.randint(90_000, 130_000), LOOP + ["handle", "parse"])
    if trace.random.random() < 1 / 30:
        loop.sleep("clock_nanosleep", 6_000_000, args="0,0", path=LOOP + ["handle", "check_rate", "libc:nanosleep"])
    loop.sleep("io_uring_enter", trace.random.randint(20_000, 60_000), ret=1, args="5", path=LOOP + ["libc:syscall"])
    loop.run(trace.random.randint(2_000, 4_000), LOOP + ["end_send"])
keeper = Thread(trace, 101, "keeper", 1)
keeper.state("runnable", flags=" on_cpu")
keeper.begin()
while keeper.now < trace.end_ns - 200_000_000:
    keeper.sleep("clock_nanosleep", 50_000_000, args="0,0", path=["start", "keep", "libc:nanosleep"])
    keeper.run(30_000_000 if trace.random.random() < 0.1 else 40_000, ["start", "keep", "write_file"])
keeper.stuck("clock_nanosleep", args="0,0")
loop.stuck("io_uring_enter", args="5")
trace.print()
