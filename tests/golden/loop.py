# SPDX-License-Identifier: GPL-2.0-only
"""A server that is one event loop: it waits, reads a request, does what handle() says, and replies."""
from synth import Thread


def serve_by_loop(trace, handle, idle_ns=(200_000, 800_000), last_ns=20_000_000):
    """handle(loop): the work between the read and the reply, by the only thread. idle_ns: the wait for a request.
    last_ns: before the end of the trace, when no request begins any more."""
    trace.fd(5, "epoll")
    trace.fd(7, "accepted")
    loop = Thread(trace, 100, "server", 0)
    loop.state("runnable", flags=" on_cpu")
    loop.begin()
    while loop.now < trace.end_ns - last_ns:
        loop.sleep("epoll_wait", trace.random.randint(*idle_ns), ret=1, args="5",
                   path=["main", "event_loop", "libc:epoll_wait"])
        loop.call("read", 5_000, ret=64, args="7", path=["main", "event_loop", "read_request"])
        handle(loop)
        loop.call("write", 10_000, ret=64, args="7",
                  path=["main", "event_loop", "handle", "reply", "libc:write"])
    loop.stuck("epoll_wait", args="5")
    trace.print()
