# SPDX-License-Identifier: GPL-2.0-only
"""An event loop with a hundred requests a second. Three of a hundred are not in its cache, and take 0.35 ms instead of 0.1 ms.
Answer: nothing abnormal; that is 0.08 % of the window, and a quarter of a millisecond each."""
from synth import Thread, Trace

LOOP = ["main", "event_loop"]

trace = Trace(seconds=30, seed=134)
trace.fd(5, "epoll")
for number in range(7, 15):
    trace.fd(number, "accepted")
loop = Thread(trace, 100, "server", 0)
loop.state("runnable", flags=" on_cpu")
loop.begin()
while loop.now < trace.end_ns - 30_000_000:
    loop.sleep("epoll_wait", trace.random.randint(6_000_000, 14_000_000), ret=1, args="5", path=LOOP + ["libc:epoll_wait"])
    client = str(trace.random.randint(7, 14))
    loop.call("read", 5_000, ret=64, args=client, path=LOOP + ["read_request"])
    loop.run(trace.random.randint(80_000, 120_000), LOOP + ["handle", "parse"])
    if trace.random.random() < 0.03:
        loop.run(trace.random.randint(230_000, 270_000), LOOP + ["handle", "render_entry"])
    loop.call("write", 10_000, ret=64, args=client, path=LOOP + ["handle", "reply", "libc:write"])
loop.stuck("epoll_wait", args="5")
trace.print()
