# SPDX-License-Identifier: GPL-2.0-only
"""Processes of one name that all wait in an epoll: three serve clients, a fourth writes a log after
them every 20 ms, and syncs it in one round of three.
Answer: nothing abnormal; no client waits for the fourth, so its rounds make no request slow."""
from synth import Thread, Trace

trace = Trace(seconds=6, seed=23)
for i in range(4):
    trace.fd(5, "epoll", tgid=100 + i)
    trace.fd(8, "accepted" if i < 3 else "file", tgid=100 + i)
servers = [Thread(trace, 100 + i, "server", i, tgid=100 + i) for i in range(3)]
writer = Thread(trace, 103, "server", 3, tgid=103)
for process in servers + [writer]:
    process.state("runnable", flags=" on_cpu")
    process.begin()
for process in servers:
    while process.now < trace.end_ns - 20_000_000:
        process.sleep("epoll_wait", trace.random.randint(2_000_000, 6_000_000), ret=1, args="5",
                      path=["main", "serve", "wait_event", "libc:epoll_wait"])
        process.call("read", 5_000, ret=64, args="8", path=["main", "serve", "read_request"])
        process.run(trace.random.randint(80_000, 120_000), ["main", "serve", "answer"])
        process.call("write", 10_000, ret=64, args="8", path=["main", "serve", "answer"])
    process.stuck("epoll_wait", args="5")
while writer.now < trace.end_ns - 40_000_000:
    writer.sleep("epoll_wait", 20_000_000, args="5",
                 path=["main", "write_behind", "wait_event", "libc:epoll_wait"])
    writer.run(trace.random.randint(15_000, 25_000), ["main", "write_behind"])
    if trace.random.random() < 0.33:
        writer.call("write", 30_000, ret=8192, args="8", path=["main", "write_behind", "flush"])
        writer.sleep("fdatasync", trace.random.randint(2_000_000, 3_000_000), args="8",
                     path=["main", "write_behind", "flush", "libc:fdatasync"])
writer.stuck("epoll_wait", args="5")
trace.print()
