# SPDX-License-Identifier: GPL-2.0-only
"""An event loop with three independent bugs: a long walk (0.3 ms a request on average), a needless
fsync (0.2 ms), a call made 70 times (0.1 ms).
Answer: find_item, flush_log, seek_back, in that order."""
from synth import Thread, Trace

trace = Trace(seconds=10, seed=15)
trace.fd(5, "epoll")
trace.fd(7, "accepted")
trace.fd(9, "file")
loop = Thread(trace, 100, "server", 0)
loop.state("runnable", flags=" on_cpu")
loop.begin()
while loop.now < trace.end_ns - 60_000_000:
    loop.sleep("epoll_wait", trace.random.randint(200_000, 800_000), ret=1, args="5",
               path=["main", "event_loop", "libc:epoll_wait"])
    loop.call("read", 5_000, ret=64, args="7", path=["main", "event_loop", "read_request"])
    loop.run(trace.random.randint(80_000, 120_000), ["main", "event_loop", "handle", "parse"])
    if trace.random.random() < 0.04:
        loop.run(trace.random.randint(6_000_000, 9_000_000),
                 ["main", "event_loop", "handle", "find_item"])
    if trace.random.random() < 0.02:
        loop.sleep("fsync", trace.random.randint(8_000_000, 12_000_000), args="9",
                   path=["main", "event_loop", "handle", "flush_log", "libc:fsync"])
    for _ in range(70 if trace.random.random() < 0.03 else 0):
        loop.call("lseek", 50_000, args="9",
                  path=["main", "event_loop", "handle", "seek_back", "libc:lseek"])
    loop.call("write", 10_000, ret=64, args="7",
              path=["main", "event_loop", "handle", "reply", "libc:write"])
loop.stuck("epoll_wait", args="5")
trace.print()
