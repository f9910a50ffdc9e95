# SPDX-License-Identifier: GPL-2.0-only
"""A worker that serves for two seconds, and then gets no CPU but for 10 ms now and then, in the middle of a
request: another program has them all.
Answer: outside; it makes no call for seconds, but runs for next to none of that time, and is no spin."""
from synth import Thread, Trace

trace = Trace(seconds=8, seed=6)
trace.fd(5, "epoll")
trace.fd(7, "accepted")
loop = Thread(trace, 100, "server", 0)
loop.state("runnable", flags=" on_cpu")
loop.begin()
LOOP = ["main", "event_loop"]
while loop.now < 2_000_000_000:
    loop.sleep("epoll_wait", trace.random.randint(20_000, 80_000), ret=1, args="5", path=LOOP + ["libc:epoll_wait"])
    loop.call("read", 5_000, ret=64, args="7", path=LOOP + ["read_request"])
    loop.run(trace.random.randint(80_000, 120_000), LOOP + ["handle", "parse"])
    loop.call("write", 10_000, ret=64, args="7", path=LOOP + ["handle", "reply", "libc:write"])
loop.sleep("epoll_wait", 300_000, ret=1, args="5", path=LOOP + ["libc:epoll_wait"])
loop.call("read", 5_000, ret=64, args="7", path=LOOP + ["read_request"])
while loop.now < trace.end_ns - 1_100_000_000:
    loop.wait_for_cpu(1_000_000_000)
    loop.run(10_000_000, LOOP + ["handle", "parse"])
trace.print()
