# SPDX-License-Identifier: GPL-2.0-only
"""An event loop that takes a timer of 0 ms for one that is due: epoll_wait never waits, and finds nothing.
Answer: a spin in next_timer, by epoll_wait."""
from spinning import LOOP, begin

loop = begin(83)
while loop.now < loop.trace.end_ns - 1_000_000:
    loop.call("epoll_wait", 20_000, ret=0, args="5", path=LOOP + ["libc:epoll_wait"])
    loop.run(60_000, LOOP + ["next_timer"])
loop.trace.print()
