# SPDX-License-Identifier: GPL-2.0-only
"""An event loop from which another process takes the CPU in most of its requests, beside a limit that it hardly meets.
Answer: outside the program, and which process: most of it is cc1, two processes of that name."""
from synth import Thread, Trace

trace = Trace(seconds=6, seed=17)
trace.meta("cpu_limit", "0 6000000000 90000 100000 60 2 40000000 /system.slice/server.service")
trace.meta("task.900", "900 backup")
trace.meta("task.902", "901 cc1")
trace.meta("task_group.902", "/user.slice/build")
trace.meta("task.903", "903 cc1")
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
        loop.wait_for_cpu(trace.random.randint(1_000_000, 4_000_000), other=trace.random.choice([900, 902, 902, 903, 904]))
    loop.run(trace.random.randint(40_000, 60_000), ["main", "event_loop", "handle", "render"])
    loop.call("write", 10_000, ret=64, args="7",
              path=["main", "event_loop", "handle", "reply", "libc:write"])
loop.stuck("epoll_wait", args="5")
trace.print()
