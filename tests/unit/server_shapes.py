# SPDX-License-Identifier: GPL-2.0-only
"""Prints the trace of a server whose shape is known.

Usage: server_shapes.py SHAPE SEED
  poller   one thread accepts and sleeps there, one polls all connections, three read requests that it hands them (Tomcat)
  chain    the same, but most threads are woken by one another
  listener one thread polls for connections alone, three serve them (the answer of an earlier one wakes nobody)
  prefork  four processes that block in accept, and poll one connection between its requests
  helper   one thread in an event loop; of 40 requests one wakes a thread of another pool (Node)
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "golden"))
from synth import Thread, Trace  # noqa: E402

QUEUE = "0x7e00,0x89,0"
shape, seed = sys.argv[1], int(sys.argv[2])
trace = Trace(seconds=4, seed=seed)
trace.fd(3, "listen")
trace.fd(5, "epoll")


def pause():
    return trace.random.randint(1_500_000, 2_500_000)


def start(tid, name, cpu, tgid=100):
    thread = Thread(trace, tid, name, cpu, tgid=tgid)
    thread.state("runnable", flags=" on_cpu")
    thread.begin()
    return thread


def going(thread):
    return thread.now < trace.end_ns - 60_000_000


def serve(thread, fd):
    thread.call("read", 5_000, ret=64, args=f"{fd}")
    thread.run(trace.random.randint(100_000, 160_000), ["start", "serve"])
    thread.call("write", 10_000, ret=64, args=f"{fd}")


def pool(waker, chain=0.0):
    """Three threads that sleep in a queue, and are woken for a request of any connection."""
    threads = [start(110 + i, f"exec-{i}", 2 + i) for i in range(3)]
    for fd in range(7, 16):
        trace.fd(fd, "accepted")
    for i, thread in enumerate(threads):
        while going(thread):
            by = threads[i - 1] if trace.random.random() < chain else waker
            thread.sleep("futex", pause(), args=QUEUE, waker=by)
            serve(thread, trace.random.randint(7, 15))
        thread.stuck("futex", args=QUEUE)


def polled():
    acceptor, poller = start(100, "acceptor", 0), start(101, "poller", 1)
    for i in range(9):
        acceptor.sleep("accept", 1_000_000, ret=7 + i, args="3")
        acceptor.call("epoll_ctl", 2_000, args="5")
    acceptor.sleep("futex", 20_000_000, args="0x9900,0x80,2")
    acceptor.stuck("accept", args="3")
    while going(poller):
        poller.sleep("epoll_wait", pause() // 3, ret=1, args="5")
        poller.call("futex", 3_000, ret=1, args="0x7e00,0x81")
    poller.stuck("epoll_wait", args="5")
    return poller


def listener():
    thread = start(100, "listener", 0)
    while going(thread):
        thread.sleep("poll", pause() // 3, ret=1, args="0x5000,2")
        thread.call("accept", 5_000, ret=trace.random.randint(7, 15), args="3")
        thread.call("futex", 3_000, ret=1, args="0x7e00,0x81")
    thread.stuck("poll", args="0x5000,2")
    return thread


def prefork():
    for i in range(4):
        thread = start(200 + i, "child", i, tgid=200 + i)
        trace.fd(3, "listen", tgid=200 + i)
        trace.fd(7, "accepted", tgid=200 + i)
        while going(thread):
            thread.sleep("accept", pause(), ret=7, args="3")
            for _ in range(20 * i + 1):
                serve(thread, 7)
                thread.sleep("poll", pause(), ret=1, args="0x5000,1")
            thread.call("close", 4_000, args="7")
        thread.stuck("accept", args="3")


def helper():
    loop, aside = start(100, "loop", 0), start(101, "aside", 1)
    for fd in range(7, 16):
        trace.fd(fd, "accepted")
    while going(loop):
        loop.sleep("epoll_wait", pause() // 2, ret=1, args="5")
        serve(loop, trace.random.randint(7, 15))
    loop.stuck("epoll_wait", args="5")
    while going(aside):
        aside.sleep("futex", 40 * pause() // 2, args=QUEUE, waker=loop)
        aside.run(300_000, ["start", "collect"])
    aside.stuck("futex", args=QUEUE)


if shape in ("poller", "chain"):
    pool(polled(), 0.85 if shape == "chain" else 0)
elif shape == "listener":
    pool(listener())
else:
    {"prefork": prefork, "helper": helper}[shape]()
trace.print()
