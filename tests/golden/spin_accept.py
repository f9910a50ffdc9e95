# SPDX-License-Identifier: GPL-2.0-only
"""An event loop that has no descriptor left: the listening socket stays ready, accept fails with EMFILE in every turn,
and each time that is logged. The clients it has are served all the while.
Answer: a spin in take_client, by epoll_wait and accept4."""
from spinning import LOOP, begin, serve

loop = begin(81)
while loop.now < loop.trace.end_ns - 2_000_000:
    for _ in range(200):
        loop.call("epoll_wait", 10_000, ret=1, args="5", path=LOOP + ["libc:epoll_wait"])
        loop.run(10_000, LOOP + ["take_client"])
        loop.call("accept4", 20_000, ret=-24, args="3", path=LOOP + ["take_client", "libc:accept4"])
        loop.call("write", 50_000, ret=60, args="2", path=LOOP + ["take_client", "log_error", "libc:write"])
    serve(loop, wait=False)
loop.trace.print()
