# SPDX-License-Identifier: GPL-2.0-only
"""An event loop that waits for its CPU in most of its requests, since another thread of the program has it.
Answer: nothing outside takes the CPU, and no function is named.
Waits."""
from synth import Thread, Trace

trace = Trace(seconds=6, seed=63)
trace.fd(5, "epoll")
trace.fd(7, "accepted")
loop = Thread(trace, 100, "server", 0)
crunch = Thread(trace, 101, "crunch", 0)
loop.state("runnable", flags=" on_cpu")
loop.begin()
crunch.state("runnable")


def crunch_until(time):
    crunch.now = loop.now
    while crunch.now + 300_000 < time:
        crunch.run(250_000, ["start_crunch", "crunch_all"])
        crunch.call("getrusage", 1_000, path=["start_crunch", "crunch_all"])
    crunch.run(time - crunch.now, ["start_crunch", "crunch_all"])
    loop.now = crunch.now


while loop.now < trace.end_ns - 60_000_000:
    enter = loop.now
    trace.add(loop.now, 0, f"enter {loop.tid} epoll_wait enter={enter} args=5")
    trace.add(loop.now, 0, f"switch {loop.tid} {crunch.tid} sleeping")
    crunch_until(loop.now + trace.random.randint(200_000, 800_000))
    trace.add(loop.now, 0, f"waking {loop.tid} from - hardirq")
    crunch_until(loop.now + (trace.random.randint(1_000_000, 4_000_000) if trace.random.random() < 0.1 else 2_000))
    trace.add(loop.now, 0, f"switch {crunch.tid} {loop.tid} runnable preempted")
    loop.sampled = max(loop.sampled, loop.now - loop.now % 1_000_000)
    trace.add(loop.now, 0, f"exit {loop.tid} epoll_wait ret=1")
    loop.call("read", 5_000, ret=64, args="7", path=["main", "event_loop", "read_request"])
    loop.run(trace.random.randint(40_000, 60_000), ["main", "event_loop", "handle", "parse"])
    if trace.random.random() < 0.6:
        trace.add(loop.now, 0, f"switch {loop.tid} {crunch.tid} runnable preempted")
        crunch_until(loop.now + trace.random.randint(1_000_000, 4_000_000))
        trace.add(loop.now, 0, f"switch {crunch.tid} {loop.tid} runnable preempted")
        loop.sampled = max(loop.sampled, loop.now - loop.now % 1_000_000)
    loop.run(trace.random.randint(40_000, 60_000), ["main", "event_loop", "handle", "render"])
    loop.call("write", 10_000, ret=64, args="7",
              path=["main", "event_loop", "handle", "reply", "libc:write"])
trace.print()
