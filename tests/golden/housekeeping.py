# SPDX-License-Identifier: GPL-2.0-only
"""A server without clients, whose timer looks after its tables ten times a second; some rounds take 0.1 ms longer,
to no harm of anybody.
Answer: nothing abnormal."""
from synth import Thread, Trace

trace = Trace(seconds=30, seed=38)
trace.sample_ns = [(0, 50_000)]
trace.meta("sample_ns", "50000")
timer = Thread(trace, 100, "server", 0)
timer.state("runnable", flags=" on_cpu")
timer.begin()
while timer.now < trace.end_ns - 200_000_000:
    timer.sleep("clock_nanosleep", 100_000_000, path=["main", "libc:nanosleep"])
    timer.run(trace.random.randint(30_000, 50_000), ["main", "look_after", "count_tables"])
    if trace.random.random() < 0.1:
        timer.run(trace.random.randint(110_000, 150_000), ["main", "look_after", "drop_stale"])
timer.stuck("clock_nanosleep")
trace.print()
