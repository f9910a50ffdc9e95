# SPDX-License-Identifier: GPL-2.0-only
"""A server of which each function has calls of its own; compact has more to do now and then."""
from synth import Thread, Trace

LOOP = ["main", "event_loop"]
HANDLE = LOOP + ["handle"]


def begin(seed, seconds, stack_min_ns, stripped=()):
    """The trace, and the thread of the event loop, which runs. stack_min_ns: as of Trace. stripped: the
    functions that have no symbol."""
    trace = Trace(seconds=seconds, seed=seed, stack_min_ns=stack_min_ns)
    trace.fd(5, "epoll")
    trace.fd(7, "accepted")
    trace.fd(9, "file")
    trace.map(0x1000, 0x9000, "/usr/bin/server", "5e12e12e12e1")
    for number, name in enumerate(stripped):
        trace.functions[name] = 0x8010 + 0x100 * number
    loop = Thread(trace, 100, "server", 0)
    loop.state("runnable", flags=" on_cpu")
    loop.begin()
    return trace, loop


def pick_up(trace, loop):
    """Waits for a request, and reads it."""
    loop.sleep("epoll_wait", trace.random.randint(200_000, 800_000), ret=1, args="5",
               path=LOOP + ["libc:epoll_wait"])
    loop.call("read", 5_000, ret=64, args="7", path=HANDLE + ["read_request", "libc:read"])


def serve(seed, seconds, slow_share, stack_min_ns, hang=False, quiet="wait_for_quiet",
          stripped=()):
    """stack_min_ns, stripped: as of begin. hang: it stops in the middle of the trace, in wait_for_quiet.
    quiet: another name for that."""
    trace, loop = begin(seed, seconds, stack_min_ns, stripped)
    while loop.now < trace.end_ns - 60_000_000:
        pick_up(trace, loop)
        loop.run(trace.random.randint(20_000, 40_000), HANDLE + ["parse"])
        for _ in range(2):
            loop.call("lseek", 2_000, args="9", path=HANDLE + ["load_index", "libc:lseek"])
            loop.call("read", 8_000, ret=4096, args="9", path=HANDLE + ["load_index", "libc:read"])
        if trace.random.random() < 0.2:
            compact = HANDLE + ["compact"]
            loop.call("ftruncate", 9_000, args="9", path=compact + ["libc:ftruncate"])
            if hang and loop.now > trace.end_ns / 2:
                loop.stuck("nanosleep")
                return trace
            times = 100 if trace.random.random() < slow_share else 1
            loop.sleep("nanosleep", trace.random.randint(20_000, 40_000) * times,
                       path=compact + [quiet, "libc:nanosleep"])
            loop.call("lseek", 2_000, args="9", path=compact + ["libc:lseek"])
        loop.call("write", 10_000, ret=64, args="7", path=HANDLE + ["reply", "libc:write"])
    loop.stuck("epoll_wait", args="5")
    return trace
