# SPDX-License-Identifier: GPL-2.0-only
"""A proxy's thread answers requests, and relays what backends send: serve() itself waits for a backend then, for 1 to 6 ms as in every
relay. 1 request in 10 is looked up for 2.5 ms in look_up, which serve() calls.
Answer: look_up. serve() has most of the extra time as its own, and is no finding; so what it calls is judged as well."""
from synth import Thread, Trace

SERVE = ["start_thread", "serve"]
trace = Trace(seconds=6, seed=43)
trace.fd(5, "epoll")
for fd in range(7, 11):
    trace.fd(fd, "accepted")
trace.fd(20, "connected", name="socket:[900] to 10.0.0.5:8080")
loop = Thread(trace, 100, "server", 0)
loop.state("runnable", flags=" on_cpu")
loop.begin()
while loop.now < trace.end_ns - 60_000_000:
    loop.sleep("epoll_wait", trace.random.randint(100_000, 300_000), ret=1, args="5", path=SERVE + ["libc:epoll_wait"])
    kind = trace.random.random()
    fd = trace.random.randint(7, 10)
    if kind < 0.8:
        loop.run(trace.random.randint(15_000, 25_000), SERVE + ["tick"])
    elif kind < 0.9:
        loop.call("read", 5_000, ret=64, args=fd, path=SERVE + ["libc:read"])
        loop.run(trace.random.randint(90_000, 130_000), SERVE + ["parse"])
        if trace.random.random() < 0.1:
            loop.sleep("nanosleep", trace.random.randint(2_300_000, 2_700_000), path=SERVE + ["look_up", "libc:nanosleep"])
        loop.call("write", 8_000, ret=500, args=fd, path=SERVE + ["answer", "libc:write"])
    else:
        loop.call("getsockopt", 1_000, args="20")
        loop.call("fcntl", 1_000, args="20")
        loop.call("lseek", 1_000, args="20")
        loop.sleep("recvfrom", trace.random.randint(1_000_000, 6_000_000), ret=900, args="20", path=SERVE + ["libc:recv"])
        loop.call("sendmsg", 8_000, ret=900, args="20", path=SERVE + ["libc:sendmsg"])
        loop.call("close", 2_000, args="21")
trace.print()
