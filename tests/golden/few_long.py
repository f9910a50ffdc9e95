# SPDX-License-Identifier: GPL-2.0-only
"""A healthy event loop of which 150 requests take longer here and there, and five for 3 ms in one function.
Answer: nothing abnormal; fifteen samples are of five requests, and five may be chance."""
from synth import Thread, Trace

HANDLE = ["main", "event_loop", "handle"]
FUNCTIONS = ["parse", "look_up", "render"]
trace = Trace(seconds=6, seed=39)
trace.fd(5, "epoll")
trace.fd(7, "accepted")
loop = Thread(trace, 100, "server", 0)
loop.state("runnable", flags=" on_cpu")
loop.begin()
count = 0
while loop.now < trace.end_ns - 60_000_000:
    loop.sleep("epoll_wait", trace.random.randint(400_000, 800_000), ret=1, args="5",
               path=["main", "event_loop", "libc:epoll_wait"])
    loop.call("read", 5_000, ret=64, args="7", path=["main", "event_loop", "read_request"])
    for function in FUNCTIONS:
        loop.run(trace.random.randint(8_000, 12_000), HANDLE + [function])
    loop.run(2_000, HANDLE + ["add_log"])
    if count % 60 == 44:
        loop.run(trace.random.randint(200_000, 300_000),
                 HANDLE + [trace.random.choice(FUNCTIONS)])
    if count % 1800 == 700:
        loop.run(3_000_000, HANDLE + ["add_log"])
    count += 1
    loop.call("write", 10_000, ret=64, args="7", path=HANDLE + ["reply", "libc:write"])
loop.stuck("epoll_wait", args="5")
trace.print()
