# SPDX-License-Identifier: GPL-2.0-only
"""A flight recording, in which hardly any stacks were taken: a worker waits for a helper in the middle of a
request; others have idled on a condition variable for longer, and one serves.
Answer: a hang in wait_for_helper; the places of the idle ones come after it, as unsure."""
from beside import serve_beside
from synth import Thread, Trace

trace = Trace(seconds=3, seed=5, stack_min_ns=None)
trace.fd(6, "epoll")
trace.fd(8, "accepted")
trace.fd(9, "pipe")
START = 70_000_000_000
trace.begin_at(START)

WORKER = ["start_worker", "worker_loop"]
CONDITION = "0x8f00,0x189,0,0,0,0"
spare = WORKER + ["take_task", "libc:pthread_cond_wait"]
idle = WORKER + ["libc:epoll_wait"]
stuck = WORKER + ["handle", "wait_for_helper", "libc:read"]
idlers = [Thread(trace, 103 + i, f"worker{2 + i}", 2 + i, now=START) for i in range(2)]
for thread in idlers:
    thread.state("sleeping", call="futex", since=START - 60_000_000_000, args=CONDITION, path=spare)
busy = Thread(trace, 102, "worker1", 1, now=START)
busy.state("sleeping", call="epoll_wait", since=START - 1_000_000, args="6,0,64,0,0,0", path=idle)
hung = Thread(trace, 101, "worker0", 0, now=START)
hung.state("runnable", flags=" on_cpu")
hung.begin()
hung.call("read", 5_000, ret=64, args="8")
hung.stuck("read", args="9,0,64,0,0,0")
since = hung.now

serve_beside(busy, idle)
for thread in idlers:
    thread.state("sleeping", call="futex", since=START - 60_000_000_000, args=CONDITION, path=spare, at_stop=True)
hung.state("sleeping", call="read", since=since, args="9,0,64,0,0,0", path=stuck, at_stop=True)
busy.state("sleeping", call="epoll_wait", since=busy.now, args="6,0,64,0,0,0", path=idle, at_stop=True)
trace.print()
