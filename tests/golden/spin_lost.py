# SPDX-License-Identifier: GPL-2.0-only
"""An event loop turns without progress, faster than its records can be taken: every 50 ms some are lost.
Answer: a spin in take_client since 1 s, as without the losses; what lies in them is no part of the CPU time."""
from spinning import LOOP, begin

loop = begin(81)
lost_ns = loop.now + 20_000_000
while loop.now < loop.trace.end_ns - 2_000_000:
    if loop.now > lost_ns:
        loop.run(2_000_000, LOOP + ["take_client"])
        loop.trace.add(loop.now, 0, "lost 200")
        lost_ns += 50_000_000
    loop.call("epoll_wait", 10_000, ret=1, args="5", path=LOOP + ["libc:epoll_wait"])
    loop.run(10_000, LOOP + ["take_client"])
    loop.call("accept4", 20_000, ret=-24, args="3", path=LOOP + ["take_client", "libc:accept4"])
loop.trace.print()
