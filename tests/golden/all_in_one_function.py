# SPDX-License-Identifier: GPL-2.0-only
"""A forwarder whose functions the compiler put all into main. A usual turn takes 30 µs, too short for most samples; for one
connection in 20 the rules of its port are compared, for 2 ms. Every stack is in main, whatever it does.
Answer: main, by time: no share can grow, but slow turns run 60 times as long, and nowhere else."""
from synth import Thread, Trace

trace = Trace(seconds=6, seed=61)
trace.fd(4, "listen")
trace.fd(7, "accepted")
loop = Thread(trace, 100, "forward", 0)
loop.state("runnable", flags=" on_cpu")
loop.begin()
while loop.now < trace.end_ns - 30_000_000:
    loop.sleep("pselect6", trace.random.randint(1_000_000, 5_000_000), ret=1, args="8", path=["main", "libc:select"])
    if trace.random.random() < 0.5:
        loop.call("accept", 3_000, ret=7, args="4", path=["main", "libc:accept"])
        loop.run(2_000_000 if trace.random.random() < 0.1 else trace.random.randint(8_000, 12_000), ["main"])
        loop.call("setsockopt", 1_000, args="7", path=["main", "libc:setsockopt"])
        loop.call("connect", 20_000, ret=-115, args="9", path=["main", "libc:connect"])
        continue
    loop.call("recvfrom", 3_000, ret=64, args="7", path=["main", "libc:recv"])
    loop.run(trace.random.randint(8_000, 12_000), ["main"])
    loop.call("sendto", 6_000, ret=64, args="9", path=["main", "libc:send"])
trace.print()
