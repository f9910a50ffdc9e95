# SPDX-License-Identifier: GPL-2.0-only
"""A thread pool beside a server, whose spare workers wait for tasks on a condition variable, with a
time-out of a minute; one since before the window, one since it did something in the window. Two of
the same pool have work, for which they were in the same function just before.
Answer: nothing; idle threads that set themselves a time-out do not hang."""
from pool import LOOP, START, begin_late, serve
from synth import Thread

trace = begin_late(seed=11)
idle = LOOP + ["wait_for_tasks", "libc:pthread_cond_clockwait"]
TIMED = "0x7e00,0x89,0,0x7ffe0000,0,0xffffffff"
spare = [Thread(trace, 101 + i, "pool", i, now=START) for i in range(2)]
serving = [Thread(trace, 103 + i, "pool", 2 + i, now=START) for i in range(2)]
for number, thread in enumerate(spare):
    if number == 0:
        thread.state("sleeping", call="futex", since=START - 40_000_000_000, args=TIMED, path=idle)
        continue
    thread.state("runnable", flags=" on_cpu")
    thread.begin()
    thread.run(100_000, LOOP + ["run_timer"])
    thread.stuck("futex", args="0x7e00,0x89")
    since = thread.now
serve(trace, serving, ["wait_for_tasks", "take"])
for number, thread in enumerate(spare):
    thread.state("sleeping", call="futex", since=START - 40_000_000_000 if number == 0 else since,
                 args=TIMED, path=idle, at_stop=True)
trace.print()
