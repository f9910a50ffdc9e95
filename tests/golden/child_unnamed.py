# SPDX-License-Identifier: GPL-2.0-only
"""A loop runs a compressor for 3 % of the requests, and waits for it. The compressor's file has no names.
Answer: keep_log, which waits for it; not a part of the compressor."""
from synth import Thread, Trace

LOOP = ["main", "serve_loop"]
trace = Trace(seconds=8, seed=97)
trace.functions["compress"] = 0x7f0000004290  # in no list of functions
trace.head.append("file 3 read 0 0 0 /usr/bin/gzip 5e12e12e12e3 -")
trace.fd(4, "epoll")
for number in range(10, 20):
    trace.fd(number, "accepted")
server = Thread(trace, 100, "server", 0)
server.state("runnable", flags=" on_cpu")
server.begin()
requests = 0
while server.now < trace.end_ns - 200_000_000:
    server.sleep("epoll_wait", trace.random.randint(2_000_000, 8_000_000), ret=1, args="4", path=LOOP + ["libc:epoll_wait"])
    requests += 1
    client = 10 + requests % 10
    server.call("read", 4_000, ret=100, args=client, path=LOOP + ["libc:read"])
    server.run(trace.random.randint(80_000, 120_000), LOOP + ["answer"])
    if requests % 33 == 0:
        number = 1000 + requests
        trace.add(server.now, 0, f"fork {number} parent=100 tgid={number} comm=gzip")
        trace.map(0x7f0000000000, 0x7f0000010000, "/usr/bin/gzip", "5e12e12e12e3", tgid=number)
        child = Thread(trace, number, "gzip", 1, server.now + 5_000, tgid=number)
        child.begin()
        child.run(trace.random.randint(30_000_000, 50_000_000), ["compress"])
        child.exit()
        server.sleep("wait4", child.now - server.now, ret=number, args=number, path=LOOP + ["answer", "keep_log", "libc:wait4"], waker=child)
    server.call("write", 8_000, ret=200, args=client, path=LOOP + ["answer", "libc:write"])
server.stuck("epoll_wait", args="4")
trace.print()
