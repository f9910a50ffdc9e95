# SPDX-License-Identifier: GPL-2.0-only
"""A server that is one event loop, about thirty requests a second, and freezes now and then."""
from synth import Thread, Trace

LOOP = ["main", "event_loop"]


def serve_and_freeze(seed, at, path, sleeps=False, ns=5_000_000_000):
    """at: seconds. path: where it is for ns, nearly; sleeps: in a call that syncs a file."""
    trace = Trace(seconds=90, seed=seed)
    trace.fd(5, "epoll")
    for number in range(7, 15):
        trace.fd(number, "accepted")
    trace.fd(20, "file")
    trace.sample_from(0, 10_000_000)
    due = list(at)
    loop = Thread(trace, 100, "server", 0)
    loop.state("runnable", flags=" on_cpu")
    loop.begin()
    kept = 0
    while loop.now < trace.end_ns - 1_000_000_000:
        if kept:
            kept -= 1
            loop.call("epoll_wait", 2_000, ret=1, args="5", path=LOOP + ["libc:epoll_wait"])
        else:
            loop.sleep("epoll_wait", trace.random.randint(20_000_000, 40_000_000), ret=1, args="5",
                       path=LOOP + ["libc:epoll_wait"])
        client = trace.random.randint(7, 14)
        loop.call("read", 5_000, ret=64, args=str(client), path=LOOP + ["read_request"])
        loop.run(trace.random.randint(1_500_000, 2_500_000), LOOP + ["handle", "parse"])
        if due and loop.now > due[0] * 1_000_000_000:
            due.pop(0)
            stall = trace.random.randint(ns * 24 // 25, ns * 26 // 25)
            if sleeps:
                loop.sleep("fsync", stall, args="20", path=path)
            else:
                loop.run(stall, path)
            kept = 7  # of eight clients, who wait for their answers before they ask again
        loop.call("write", 10_000, ret=64, args=str(client), path=LOOP + ["handle", "reply", "libc:write"])
    loop.stuck("epoll_wait", args="5")
    trace.print()
