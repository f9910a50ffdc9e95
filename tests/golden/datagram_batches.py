# SPDX-License-Identifier: GPL-2.0-only
"""A name server that takes up to eight datagrams by one call, and answers all of them by one more.
Answer: nothing abnormal, and each datagram is a request: 6,013 of them."""
from synth import Thread, Trace

trace = Trace(seconds=4, seed=54)
trace.fd(3, "datagram")
server = Thread(trace, 100, "server", 0)
server.state("runnable", flags=" on_cpu")
server.begin()
taken = 0
while taken < 6_013:
    count = min(trace.random.choice([1, 1, 1, 2, 3, 8]), 6_013 - taken)
    taken += count
    server.sleep("recvmmsg", trace.random.randint(800_000, 2_000_000), ret=count, args="3",
                 path=["main", "serve", "libc:recvmmsg"])
    for _ in range(count):
        server.run(trace.random.randint(25_000, 35_000), ["main", "serve", "find_zone"])
    server.call("sendmmsg", 8_000 * count, ret=count, args="3", path=["main", "serve", "libc:sendmmsg"])
server.stuck("recvmmsg", args="3")
trace.print()
