# SPDX-License-Identifier: GPL-2.0-only
"""A server whose functions calculate between calls that others make: render in every request for as
long, decode as a rule for a moment, and now and then for long."""
from synth import Thread, Trace

LOOP = ["main", "event_loop"]
HANDLE = LOOP + ["handle"]


def serve(seed, seconds, stack_min_ns):
    """stack_min_ns: as of Trace."""
    trace = Trace(seconds=seconds, seed=seed, stack_min_ns=stack_min_ns)
    trace.fd(5, "epoll")
    trace.fd(7, "accepted")
    trace.fd(9, "file")
    trace.map(0x1000, 0x9000, "/usr/bin/server", "5e12e12e12e1")
    loop = Thread(trace, 100, "server", 0)
    loop.state("runnable", flags=" on_cpu")
    loop.begin()
    while loop.now < trace.end_ns - 60_000_000:
        loop.sleep("epoll_wait", trace.random.randint(200_000, 800_000), ret=1, args="5",
                   path=LOOP + ["libc:epoll_wait"])
        loop.call("read", 5_000, ret=64, args="7", path=HANDLE + ["read_request", "libc:read"])
        loop.run(trace.random.randint(10_000, 20_000), HANDLE + ["parse"])
        times = 40 if trace.random.random() < 0.05 else 1
        loop.run(trace.random.randint(10_000, 20_000) * times, HANDLE + ["parse", "decode"])
        loop.call("lseek", 2_000, args="9", path=HANDLE + ["load", "libc:lseek"])
        loop.run(trace.random.randint(90_000, 110_000), HANDLE + ["render"])
        loop.call("write", 10_000, ret=64, args="7", path=HANDLE + ["reply", "libc:write"])
    loop.stuck("epoll_wait", args="5")
    return trace
