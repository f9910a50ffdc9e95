# SPDX-License-Identifier: GPL-2.0-only
"""A server that makes a thread for each connection, which ends with it."""
from synth import Thread, Trace

CPUS = 15


def serve_by_connection(seed, connection, seconds=5):
    """connection(thread, fd, random) is what the thread does with its connection, on descriptor fd."""
    trace = Trace(seconds=seconds, seed=seed)
    trace.fd(4, "listen")
    for number in range(CPUS):
        trace.fd(100 + number, "accepted")
    master = Thread(trace, 100, "server", 0)
    master.state("runnable", flags=" on_cpu")
    master.begin()
    free = [0] * CPUS  # when the connection's CPU is free again
    tid = 1000
    while master.now < trace.end_ns - 80_000_000:
        cpu = min(range(CPUS), key=lambda i: free[i])
        master.sleep("accept4", trace.random.randint(3_000_000, 6_000_000), ret=100 + cpu, args="4",
                     path=["main", "serve", "libc:accept4"])
        assert free[cpu] <= master.now
        tid += 1
        thread = master.fork(tid, "conn", 1 + cpu)
        connection(thread, str(100 + cpu), trace.random)
        thread.call("close", 3_000, args=str(100 + cpu), path=["start_connection"])
        thread.exit()
        free[cpu] = thread.now + 10_000
    master.stuck("accept4", args="4")
    trace.print()
