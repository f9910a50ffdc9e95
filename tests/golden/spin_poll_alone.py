# SPDX-License-Identifier: GPL-2.0-only
"""An event loop that turns for ever, in which what else runs takes a twentieth of the time: that may be anything.
Answer: a spin in event_loop, by epoll_wait."""
from spinning import LOOP, begin

loop = begin(85)
while loop.now < loop.trace.end_ns - 1_000_000:
    loop.call("epoll_wait", 20_000, ret=0, args="5", path=LOOP + ["libc:epoll_wait"])
    loop.run(75_000, LOOP + ["libc:epoll_wait"], kernel="do_epoll_wait")
    loop.run(20_000, LOOP)
    loop.run(6_000, LOOP + ["run_timers", "count_turn"])
loop.trace.print()
