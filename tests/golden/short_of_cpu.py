# SPDX-License-Identifier: GPL-2.0-only
"""An event loop that waits for a CPU in six of ten requests."""
from synth import Thread


def serve(trace, taker=lambda: 0):
    """taker(): the tid of the thread that has the CPU in such a wait; 0: it is not known."""
    trace.fd(5, "epoll")
    trace.fd(7, "accepted")
    loop = Thread(trace, 100, "server", 0)
    loop.state("runnable", flags=" on_cpu")
    loop.begin()
    while loop.now < trace.end_ns - 60_000_000:
        loop.sleep("epoll_wait", trace.random.randint(200_000, 800_000), ret=1, args="5",
                   path=["main", "event_loop", "libc:epoll_wait"])
        loop.call("read", 5_000, ret=64, args="7", path=["main", "event_loop", "read_request"])
        loop.run(trace.random.randint(40_000, 60_000), ["main", "event_loop", "handle", "parse"])
        if trace.random.random() < 0.6:
            loop.wait_for_cpu(trace.random.randint(1_000_000, 4_000_000), other=taker())
        loop.run(trace.random.randint(40_000, 60_000), ["main", "event_loop", "handle", "render"])
        loop.call("write", 10_000, ret=64, args="7",
                  path=["main", "event_loop", "handle", "reply", "libc:write"])
    loop.stuck("epoll_wait", args="5")
    trace.print()
