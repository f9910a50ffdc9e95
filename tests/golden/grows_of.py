# SPDX-License-Identifier: GPL-2.0-only
"""A server that takes requests from a queue of connections, two for each 10 ms; what they take depends on the time."""
from synth import Thread, Trace


def serve(find, render, calls, answer, seed):
    """Each is a function of how much of the window is over, 0 to 1: ns in find and in render, times as long as calls usually take, bytes of an answer."""
    trace = Trace(seconds=8, seed=seed)
    trace.fd(4, "listen")
    trace.fd(7, "accepted")
    worker = Thread(trace, 100, "server", 0)
    worker.state("runnable", flags=" on_cpu")
    worker.begin()
    begin_ns = worker.now
    while worker.now < trace.end_ns - 30_000_000:
        part = (worker.now - begin_ns) / (trace.end_ns - begin_ns)

        def call(name, ns, part=part, **how):
            worker.call(name, round(ns * calls(part)), **how)

        def run(ns, path):
            worker.run(round(ns * trace.random.uniform(0.9, 1.1)), path)

        worker.sleep("epoll_wait", trace.random.randint(3_000_000, 5_000_000), ret=1, args="8", path=["main", "serve", "libc:epoll_wait"])
        call("recvfrom", 3_000, ret=64, args="7", path=["main", "serve", "libc:recv"])
        run(find(part), ["main", "serve", "find"])
        call("lseek", 800, ret=0, args="9", path=["main", "serve", "libc:lseek"])
        run(render(part), ["main", "serve", "render"])
        call("sendto", 6_000, ret=answer(part), args="7", path=["main", "serve", "libc:send"])
    trace.print()
