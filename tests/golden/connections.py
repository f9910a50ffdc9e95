# SPDX-License-Identifier: GPL-2.0-only
"""A thread for each connection, which serves ten requests and ends; 1 request of 25 scans a table.
Answer: scan_table, by time, over hundreds of threads that came and went."""
from synth import Thread, Trace

trace = Trace(seconds=5, seed=13)
trace.fd(4, "listen")
for number in range(100, 116):
    trace.fd(number, "accepted")
master = Thread(trace, 100, "server", 0)
master.state("runnable", flags=" on_cpu")
master.begin()
free = [0] * 15  # when the connection's CPU is free again
tid = 1000
while master.now < trace.end_ns - 80_000_000:
    cpu = min(range(15), key=lambda i: free[i])
    master.sleep("accept4", trace.random.randint(3_000_000, 6_000_000), ret=100 + cpu, args="4",
                 path=["main", "serve", "libc:accept4"])
    assert free[cpu] <= master.now
    tid += 1
    thread = master.fork(tid, "conn", 1 + cpu)
    fd = str(100 + cpu)
    for _ in range(10):
        thread.sleep("read", trace.random.randint(200_000, 700_000), ret=64, args=fd,
                     path=["start_connection", "read_request", "libc:read"])
        thread.run(trace.random.randint(60_000, 90_000), ["start_connection", "handle", "parse"])
        if trace.random.random() < 0.04:
            thread.run(trace.random.randint(2_000_000, 5_000_000),
                       ["start_connection", "handle", "scan_table"])
        thread.call("write", 8_000, ret=64, args=fd, path=["start_connection", "answer"])
    thread.call("close", 3_000, args=fd, path=["start_connection"])
    thread.exit()
    free[cpu] = thread.now + 10_000
master.stuck("accept4", args="4")
trace.print()
