# SPDX-License-Identifier: GPL-2.0-only
"""Threads that sleep throughout a trace, and the worker that goes on serving beside them."""
from synth import Thread


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


def sleep_since(trace, start, still):
    """Threads that have slept since before the trace, each on a CPU of its own from 2 on. still: (tid, name, call, arguments,
    seconds, path) of each. Returns what sleep_on() takes."""
    threads = []
    for cpu, (tid, comm, call, args, age, path) in enumerate(still):
        thread = Thread(trace, tid, comm, cpu + 2, now=start)
        threads.append((thread, {"call": call, "since": start - age * 1_000_000_000, "args": args, "path": path}))
        thread.state("sleeping", **threads[-1][1])
    return threads


def sleep_on(threads):
    """They sleep still when the trace stops."""
    for thread, sleep in threads:
        thread.state("sleeping", **sleep, at_stop=True)
