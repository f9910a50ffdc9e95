# SPDX-License-Identifier: GPL-2.0-only
"""A server whose functions calculate between calls that others make: render in every request for as
long, decode usually for a moment, and now and then for long."""
from server import HANDLE, begin, pick_up


def serve(seed, seconds, stack_min_ns):
    """stack_min_ns: as of Trace."""
    trace, loop = begin(seed, seconds, stack_min_ns)
    while loop.now < trace.end_ns - 60_000_000:
        pick_up(trace, loop)
        loop.run(trace.random.randint(10_000, 20_000), HANDLE + ["parse"])
        times = 40 if trace.random.random() < 0.05 else 1
        loop.run(trace.random.randint(10_000, 20_000) * times, HANDLE + ["parse", "decode"])
        loop.call("lseek", 2_000, args="9", path=HANDLE + ["load", "libc:lseek"])
        loop.run(trace.random.randint(90_000, 110_000), HANDLE + ["render"])
        loop.call("write", 10_000, ret=64, args="7", path=HANDLE + ["reply", "libc:write"])
    loop.stuck("epoll_wait", args="5")
    return trace
