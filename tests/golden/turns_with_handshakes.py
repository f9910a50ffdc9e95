# SPDX-License-Identifier: GPL-2.0-only
"""An event loop whose connections begin with a handshake of 3 ms, and ask ten times for what takes 0.3 ms.
Answer: nothing abnormal. Handshakes are one unit of eleven, and each connection has one."""
from synth import Thread, Trace

LOOP = ["main", "event_loop"]
CLIENTS = 6
trace = Trace(seconds=6, seed=45)
trace.fd(4, "listen")
trace.fd(5, "epoll")
loop = Thread(trace, 100, "server", 0)
loop.state("runnable", flags=" on_cpu")
loop.begin()
asked = [None] * CLIENTS  # how often each client's connection asked; None: it has none
while loop.now < trace.end_ns - 60_000_000:
    client = trace.random.randrange(CLIENTS)
    fd = str(10 + client)
    loop.sleep("epoll_wait", trace.random.randint(300_000, 900_000), ret=1, args="5", path=LOOP + ["libc:epoll_wait"])
    if asked[client] is None:
        loop.call("accept4", 6_000, ret=10 + client, args="4", path=LOOP + ["accept_client"])
        loop.call("epoll_ctl", 2_000, args="5", path=LOOP + ["accept_client"])
        asked[client] = 0
        continue
    loop.call("read", 4_000, ret=64, args=fd, path=LOOP + ["read_request"])
    if asked[client] == 0:
        for name in ["getrandom", "getpid", "brk", "madvise", "gettid"]:
            loop.call(name, 1_500, path=LOOP + ["greet"])
        loop.run(trace.random.randint(2_700_000, 3_300_000), LOOP + ["greet", "sign"])
    else:
        loop.run(trace.random.randint(250_000, 350_000), LOOP + ["handle", "parse"])
    loop.call("write", 8_000, ret=64, args=fd, path=LOOP + ["reply"])
    asked[client] += 1
    if asked[client] == 11:
        loop.call("close", 4_000, args=fd, path=LOOP + ["end_client"])
        asked[client] = None
loop.stuck("epoll_wait", args="5")
trace.print()
