# SPDX-License-Identifier: GPL-2.0-only
"""An event loop that a callback has turn again at once, for ever: most of the time goes into the poll itself.
Answer: a spin in ask_again, by epoll_wait."""
from spinning import LOOP, begin

loop = begin(84)
while loop.now < loop.trace.end_ns - 1_000_000:
    loop.call("epoll_wait", 20_000, ret=0, args="5", path=LOOP + ["libc:epoll_wait"])
    loop.run(60_000, LOOP + ["libc:epoll_wait"], kernel="do_epoll_wait")
    loop.run(10_000, LOOP)
    loop.run(20_000, LOOP + ["run_timers", "ask_again"])
loop.trace.print()
