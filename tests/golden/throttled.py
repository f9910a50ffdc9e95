# SPDX-License-Identifier: GPL-2.0-only
"""An event loop whose control group has a limit of CPU time, which it meets in most periods.
Answer: outside the program, throttled; the process that runs on its CPU meanwhile took nothing from it."""
from synth import Thread, Trace

trace = Trace(seconds=6, seed=17)
trace.meta("cpu_limit", "0 6000000000 3000 100000 60 57 4500000000 /system.slice/server.service")
trace.meta("task.900", "900 backup")
trace.fd(5, "epoll")
trace.fd(7, "accepted")
loop = Thread(trace, 100, "server", 0)
loop.state("runnable", flags=" on_cpu")
loop.begin()
while loop.now < trace.end_ns - 60_000_000:
    loop.sleep("epoll_wait", trace.random.randint(200_000, 800_000), ret=1, args="5",
               path=["main", "event_loop", "libc:epoll_wait"])
    loop.call("read", 5_000, ret=64, args="7", path=["main", "event_loop", "read_request"])
    loop.run(trace.random.randint(40_000, 60_000), ["main", "event_loop", "handle", "parse"])
    if trace.random.random() < 0.6:
        loop.wait_for_cpu(trace.random.randint(1_000_000, 4_000_000), other=900)
    loop.run(trace.random.randint(40_000, 60_000), ["main", "event_loop", "handle", "render"])
    loop.call("write", 10_000, ret=64, args="7",
              path=["main", "event_loop", "handle", "reply", "libc:write"])
loop.stuck("epoll_wait", args="5")
trace.print()
