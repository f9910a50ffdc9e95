# SPDX-License-Identifier: GPL-2.0-only
"""A server of which 5 requests of 100 ask a backend, which takes about a quarter of a millisecond."""
from synth import Thread, Trace

LOOP = ["main", "event_loop"]


def serve(seed, times):
    """times: how often such a request asks."""
    trace = Trace(seconds=6, seed=seed)
    trace.fd(5, "epoll")
    trace.fd(7, "accepted")
    trace.fd(9, "connected")
    loop = Thread(trace, 100, "server", 0)
    loop.state("runnable", flags=" on_cpu")
    loop.begin()
    while loop.now < trace.end_ns - 60_000_000:
        loop.sleep("epoll_wait", trace.random.randint(200_000, 800_000), ret=1, args="5",
                   path=LOOP + ["libc:epoll_wait"])
        loop.call("read", 5_000, ret=64, args="7", path=LOOP + ["read_request"])
        loop.run(trace.random.randint(40_000, 60_000), LOOP + ["handle", "parse"])
        if trace.random.random() < 0.05:
            for _ in range(times):
                loop.sleep("recvfrom", trace.random.randint(200_000, 300_000), ret=64, args="9",
                           path=LOOP + ["handle", "ask_backend", "libc:recv"])
        loop.call("write", 10_000, ret=64, args="7", path=LOOP + ["handle", "reply", "libc:write"])
    loop.stuck("epoll_wait", args="5")
    return trace
