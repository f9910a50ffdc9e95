# SPDX-License-Identifier: GPL-2.0-only
"""As all_idle: three threads wait on a condition variable since a minute before the window, and one for clients. A fifth one does some
housekeeping every 20 ms, by a clock, and was never woken by anybody.
Answer: that nothing can be said, and where the three are, unsure: what a clock brings does not show that the server has work."""
from all_stand import START, all_stand
from synth import Thread

trace = all_stand(seconds=3, seed=9)
keeper = Thread(trace, 105, "keeper", 4, now=START)
keeper.state("runnable", flags=" on_cpu")
keeper.begin()
while keeper.now < trace.end_ns - 40_000_000:
    keeper.run(trace.random.randint(50_000, 60_000), ["start_keeper", "keep"])
    keeper.sleep("clock_nanosleep", 20_000_000, args="0,0,0,0,0,0", path=["start_keeper", "keep", "libc:nanosleep"])
trace.print()
