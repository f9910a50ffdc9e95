# SPDX-License-Identifier: GPL-2.0-only
"""As all_idle: three threads wait on a condition variable since a minute before the window, and one for clients. A fifth one does some
housekeeping every 20 ms, by a clock, and was never woken by anybody.
Answer: that nothing can be said, and where the three are, unsure: what a clock brings does not show that the server has work."""
from synth import Thread, Trace

trace = Trace(seconds=3, seed=9)
START = 70_000_000_000
trace.begin_at(START)

rows = [("main", "accept", "3,0,0,0,0,0", ["main", "libc:accept"])]
rows += [("worker", "futex", "0x7e00,0x189,0,0,0,0",
          ["start_worker", "serve", "take_handle", "libc:pthread_cond_wait"])] * 3
for at_stop in (False, True):
    for number, (name, call, args, path) in enumerate(rows):
        Thread(trace, 101 + number, name, number, now=START).state(
            "sleeping", call=call, since=START - 60_000_000_000, args=args, path=path, at_stop=at_stop)
keeper = Thread(trace, 105, "keeper", 4, now=START)
keeper.state("runnable", flags=" on_cpu")
keeper.begin()
while keeper.now < trace.end_ns - 40_000_000:
    keeper.run(trace.random.randint(50_000, 60_000), ["start_keeper", "keep"])
    keeper.sleep("clock_nanosleep", 20_000_000, args="0,0,0,0,0,0", path=["start_keeper", "keep", "libc:nanosleep"])
trace.print()
