# SPDX-License-Identifier: GPL-2.0-only
"""Two independent bugs: one request of 40 computes too long, another of 60 syncs a file.
Answer: both in the first two places, the larger excess first (flush_log)."""
from synth import Thread, Trace

trace = Trace(seconds=6, seed=3)
trace.fd(5, "epoll")
trace.fd(7, "accepted")
trace.fd(9, "file")
loop = Thread(trace, 100, "server", 0)
loop.state("runnable", flags=" on_cpu")
loop.begin()
while loop.now < trace.end_ns - 40_000_000:
    loop.sleep("epoll_wait", trace.random.randint(200_000, 800_000), ret=1, args="5",
               path=["main", "event_loop", "libc:epoll_wait"])
    loop.call("read", 5_000, ret=64, args="7", path=["main", "event_loop", "read_request"])
    loop.run(trace.random.randint(80_000, 120_000), ["main", "event_loop", "handle", "parse"])
    if trace.random.random() < 1 / 40:
        loop.run(trace.random.randint(3_000_000, 4_000_000),
                 ["main", "event_loop", "handle", "find_item"])
    elif trace.random.random() < 1 / 60:
        loop.sleep("fsync", trace.random.randint(8_000_000, 12_000_000), args="9",
                   path=["main", "event_loop", "handle", "flush_log", "libc:fsync"])
    loop.call("write", 10_000, ret=64, args="7",
              path=["main", "event_loop", "handle", "reply", "libc:write"])
loop.stuck("epoll_wait", args="5")
trace.print()
