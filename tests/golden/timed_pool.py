# SPDX-License-Identifier: GPL-2.0-only
"""A thread pool beside a server, whose spare workers wait for tasks on a condition variable, with a
time-out of a minute; one since before the window, one since it did something in the window. Two of
the same pool have work, for which they were in the same function just before.
Answer: nothing; idle threads that set themselves a time-out do not hang."""
from synth import Thread, Trace

trace = Trace(seconds=3, seed=11)
START = 70_000_000_000
trace.head = [line for line in trace.head if not line.startswith(("meta begin", "meta end"))]
trace.meta("begin_ns", str(START))
trace.end_ns = START + 3_000_000_000
trace.meta("end_ns", str(trace.end_ns))

loop = ["start_worker", "work"]
idle = loop + ["wait_for_tasks", "libc:pthread_cond_clockwait"]
TIMED = "0x7e00,0x89,0,0x7ffe0000,0,0xffffffff"
spare = [Thread(trace, 101 + i, "pool", i, now=START) for i in range(2)]
serving = [Thread(trace, 103 + i, "pool", 2 + i, now=START) for i in range(2)]
for number, thread in enumerate(spare):
    if number == 0:
        thread.state("sleeping", call="futex", since=START - 40_000_000_000, args=TIMED, path=idle)
        continue
    thread.state("runnable", flags=" on_cpu")
    thread.begin()
    thread.run(100_000, loop + ["run_timer"])
    thread.stuck("futex", args="0x7e00,0x89")
    since = thread.now
for number, thread in enumerate(serving):
    trace.fd(7 + number, "accepted")
    args = f"{7 + number},0,64,0,0,0"
    thread.state("runnable", flags=" on_cpu")
    thread.begin()
    while thread.now < trace.end_ns - 20_000_000:
        thread.sleep("recvfrom", trace.random.randint(300_000, 900_000), ret=64, args=f"{7 + number}",
                     path=loop + ["read_request", "libc:recv"])
        thread.run(trace.random.randint(80_000, 120_000), loop + ["wait_for_tasks", "take"])
        thread.call("sendto", 10_000, ret=64, args=f"{7 + number}", path=loop + ["serve", "reply"])
    thread.stuck("recvfrom", args=f"{7 + number}")
    thread.state("sleeping", call="recvfrom", since=thread.now, args=args, at_stop=True,
                 path=loop + ["read_request", "libc:recv"])
for number, thread in enumerate(spare):
    thread.state("sleeping", call="futex", since=START - 40_000_000_000 if number == 0 else since,
                 args=TIMED, path=idle, at_stop=True)
trace.print()
