# SPDX-License-Identifier: GPL-2.0-only
"""An event loop most of whose turns serve a timer and take 10 us. Its clients ask for four kinds of pages, by other calls each,
and none of them is a quarter of all turns.
Answer: nothing abnormal; a request is compared with requests, and not with turns that took none."""
from synth import Thread, Trace

KINDS = [("plain", []), ("listed", ["getdents64", "openat", "fstat", "lseek"]), ("hashed", ["getrandom", "uname", "getcwd", "times"]),
         ("linked", ["readlink", "statfs", "access", "umask", "getpriority"])]
trace = Trace(seconds=6, seed=55)
trace.fd(5, "epoll")
trace.fd(6, "event")
for fd in range(10, 18):
    trace.fd(fd, "accepted")
server = Thread(trace, 100, "server", 0)
server.state("runnable", flags=" on_cpu")
server.begin()
while server.now < trace.end_ns - 20_000_000:
    server.sleep("epoll_wait", trace.random.randint(300_000, 900_000), ret=1, args="5", path=["main", "serve", "libc:epoll_wait"])
    if trace.random.random() < 0.7:
        server.call("read", 2_000, ret=8, args="6", path=["main", "serve", "run_timers"])
        server.run(trace.random.randint(6_000, 10_000), ["main", "serve", "run_timers"])
        continue
    kind, calls = trace.random.choice(KINDS)
    fd = trace.random.randint(10, 17)
    server.call("read", 4_000, ret=64, args=fd, path=["main", "serve", "read_request"])
    for call in calls:
        server.call(call, 3_000, path=["main", "serve", "make_" + kind])
    server.run(trace.random.randint(400_000, 600_000), ["main", "serve", "make_" + kind])
    server.call("write", 9_000, ret=512, args=fd, path=["main", "serve", "send_page"])
server.stuck("epoll_wait", args="5")
trace.print()
