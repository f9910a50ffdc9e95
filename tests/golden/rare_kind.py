# SPDX-License-Identifier: GPL-2.0-only
"""An event loop with seventy requests a second. One of twenty has calls of its own: it makes a pipe, waits for what a script says in it,
for 4 ms, and then sorts that for 1 ms. No request of that kind is fast, and the others neither sleep nor run for long.
Answer: wait_for_script first, which has four fifths of it; requests of all kinds are what is usual."""
from synth import Thread, Trace

LOOP = ["main", "event_loop"]

trace = Trace(seconds=30, seed=137)
trace.fd(5, "epoll")
for number in range(7, 15):
    trace.fd(number, "accepted")
trace.fd(30, "pipe")
loop = Thread(trace, 100, "server", 0)
loop.state("runnable", flags=" on_cpu")
loop.begin()
while loop.now < trace.end_ns - 60_000_000:
    loop.sleep("epoll_wait", trace.random.randint(8_000_000, 20_000_000), ret=1, args="5", path=LOOP + ["libc:epoll_wait"])
    client = str(trace.random.randint(7, 14))
    loop.call("read", 5_000, ret=64, args=client, path=LOOP + ["read_request"])
    if trace.random.random() < 0.05:
        for name in ("pipe2", "clone", "fcntl", "sigaltstack", "getrlimit"):
            loop.call(name, 20_000, path=LOOP + ["handle", "run_script"])
        loop.sleep("poll", trace.random.randint(3_800_000, 4_200_000), ret=1, args="0x7ffd2000,1",
                   path=LOOP + ["handle", "run_script", "wait_for_script", "libc:poll"])
        loop.call("read", 5_000, ret=500, args="30", path=LOOP + ["handle", "run_script"])
        loop.run(trace.random.randint(900_000, 1_100_000), LOOP + ["handle", "sort_lines"])
    loop.run(trace.random.randint(20_000, 60_000), LOOP + ["handle", "render"])
    loop.call("write", 10_000, ret=64, args=client, path=LOOP + ["handle", "reply", "libc:write"])
loop.stuck("epoll_wait", args="5")
trace.print()
