# SPDX-License-Identifier: GPL-2.0-only
"""An event loop with four bugs: one takes nine tenths of the busy time, the others less than a hundredth each.
Answer: all four; the three would be a third of what is left, were the first mended."""
from synth import Thread, Trace

HANDLE = ["main", "event_loop", "handle"]
trace = Trace(seconds=8, seed=38)
trace.fd(5, "epoll")
trace.fd(7, "accepted")
loop = Thread(trace, 100, "server", 0)
loop.state("runnable", flags=" on_cpu")
loop.begin()
while loop.now < trace.end_ns - 60_000_000:
    loop.sleep("epoll_wait", trace.random.randint(200_000, 400_000), ret=1, args="5",
               path=["main", "event_loop", "libc:epoll_wait"])
    loop.call("read", 5_000, ret=64, args="7", path=["main", "event_loop", "read_request"])
    loop.run(trace.random.randint(40_000, 60_000), HANDLE + ["parse"])
    dice = trace.random.random()
    if dice < 0.03:
        loop.sleep("nanosleep", trace.random.randint(20_000_000, 24_000_000),
                   path=HANDLE + ["wait_for_quiet", "libc:nanosleep"])
    elif dice < 0.09:
        loop.run(trace.random.randint(250_000, 350_000),
                 HANDLE + [trace.random.choice(["render", "compress", "encrypt"])])
    loop.call("write", 10_000, ret=64, args="7", path=HANDLE + ["reply", "libc:write"])
loop.stuck("epoll_wait", args="5")
trace.print()
