# SPDX-License-Identifier: GPL-2.0-only
"""The worker that goes on serving while others beside it hang."""


def serve_beside(busy, idle):
    """busy, on CPU 1, wakes from epoll_wait 5 ms after its begin and serves to the trace's end. idle:
    the path it waits on."""
    trace = busy.trace
    busy.now += 5_000_000
    trace.add(busy.now - 2000, 1, f"waking {busy.tid} from - hardirq")
    trace.add(busy.now - 1000, 1, f"switch 0 {busy.tid} sleeping")
    trace.add(busy.now, 1, f"exit {busy.tid} epoll_wait ret=1")
    trace.fd(7, "accepted")
    busy.sampled = busy.now
    while busy.now < trace.end_ns - 20_000_000:
        busy.call("read", 5_000, ret=64, args="7", path=idle[:2] + ["read_request"])
        busy.run(trace.random.randint(80_000, 120_000), idle[:2] + ["handle"])
        busy.call("write", 10_000, ret=64, args="7", path=idle[:2] + ["reply"])
        busy.sleep("epoll_wait", trace.random.randint(300_000, 900_000), ret=1, args="6", path=idle)
    busy.stuck("epoll_wait", args="6")
