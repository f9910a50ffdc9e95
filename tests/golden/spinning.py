# SPDX-License-Identifier: GPL-2.0-only
"""A server that is one event loop, and serves for a second before something goes wrong."""
from synth import Thread, Trace

LOOP = ["main", "event_loop"]


def serve(loop, wait=True):
    """One request. wait: the loop sleeps before it."""
    if wait:
        loop.sleep("epoll_wait", loop.trace.random.randint(200_000, 800_000), ret=1, args="5",
                   path=LOOP + ["libc:epoll_wait"])
    else:
        loop.call("epoll_wait", 2_000, ret=1, args="5", path=LOOP + ["libc:epoll_wait"])
    loop.call("read", 5_000, ret=64, args="7", path=LOOP + ["read_request"])
    loop.run(loop.trace.random.randint(80_000, 120_000), LOOP + ["handle", "parse"])
    loop.call("write", 10_000, ret=64, args="7", path=LOOP + ["handle", "reply", "libc:write"])


def begin(seed, seconds=3):
    trace = Trace(seconds=seconds, seed=seed)
    trace.fd(2, "file")
    trace.fd(3, "listen")
    trace.fd(5, "epoll")
    trace.fd(7, "accepted")
    loop = Thread(trace, 100, "server", 0)
    loop.state("runnable", flags=" on_cpu")
    loop.begin()
    while loop.now < 1_000_000_000:
        serve(loop)
    return loop
