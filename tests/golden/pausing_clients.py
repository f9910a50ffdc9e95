# SPDX-License-Identifier: GPL-2.0-only
"""An event loop whose clients ask for a while, and then pause for 5 s, three times.
Answer: nothing abnormal; nobody waits while the loop does."""
from spinning import LOOP, begin, serve

loop = begin(86, seconds=20)
for _ in range(3):
    loop.sleep("epoll_wait", 5_000_000_000, ret=1, args="5", path=LOOP + ["libc:epoll_wait"])
    for _ in range(200):
        serve(loop)
loop.stuck("epoll_wait", args="5")
loop.trace.print()
