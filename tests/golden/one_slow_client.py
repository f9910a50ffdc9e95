# SPDX-License-Identifier: GPL-2.0-only
"""A thread for each of eight clients; twice in 90 s one of them asks for a report that takes 5 s. The others are
served all the while.
Answer: nothing abnormal: nobody was kept waiting but who asked for it."""
from synth import Thread, Trace

trace = Trace(seconds=90, seed=90)
trace.sample_from(0, 10_000_000)
path = ["start_thread", "serve"]
due = [30, 61]
for number in range(8):
    trace.fd(7 + number, "accepted")
    thread = Thread(trace, 101 + number, "worker", number)
    thread.state("runnable", flags=" on_cpu")
    thread.begin()
    while thread.now < trace.end_ns - 7_000_000_000:
        thread.sleep("read", trace.random.randint(100_000_000, 300_000_000), ret=64, args=str(7 + number),
                     path=path + ["libc:read"])
        thread.run(trace.random.randint(1_500_000, 2_500_000), path + ["handle", "parse"])
        if due and number == len(due) and thread.now > due[-1] * 1_000_000_000:
            due.pop()
            thread.run(5_000_000_000, path + ["handle", "make_report"])
        thread.call("write", 10_000, ret=64, args=str(7 + number), path=path + ["handle", "libc:write"])
    thread.stuck("read", args=str(7 + number))
trace.print()
