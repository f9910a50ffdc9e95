# SPDX-License-Identifier: GPL-2.0-only
"""The server of cpu.py, stripped: of all its functions the one that walks the chain has no symbol.
Answer: its address, and that handle called it."""
from synth import Thread, Trace

trace = Trace(seconds=4)
trace.map(0x1000, 0x9000, "/usr/bin/server", "5e12e12e12e1")
trace.functions["find_item"] = 0x8010
trace.fd(5, "epoll")
trace.fd(7, "accepted")
loop = Thread(trace, 100, "server", 0)
loop.state("runnable", flags=" on_cpu")
loop.begin()
while loop.now < trace.end_ns - 20_000_000:
    loop.sleep("epoll_wait", trace.random.randint(200_000, 800_000), ret=1, args="5",
               path=["main", "event_loop", "libc:epoll_wait"])
    loop.call("read", 5_000, ret=64, args="7", path=["main", "event_loop", "read_request"])
    loop.run(trace.random.randint(80_000, 120_000), ["main", "event_loop", "handle", "parse"])
    if trace.random.random() < 0.03:
        loop.run(trace.random.randint(3_000_000, 5_000_000),
                 ["main", "event_loop", "handle", "find_item"])
    loop.call("write", 10_000, ret=64, args="7",
              path=["main", "event_loop", "handle", "reply", "libc:write"])
loop.stuck("epoll_wait", args="5")
trace.print()
