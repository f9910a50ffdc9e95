# SPDX-License-Identifier: GPL-2.0-only
"""As spin_accept, but the time goes into logging: it composes a long message for each accept that fails. A few samples are in accept4.
Answer: a spin in take_client, which makes the call that fails, not in log_error, which has nearly all samples."""
from spinning import LOOP, begin, serve

loop = begin(83)
while loop.now < loop.trace.end_ns - 2_000_000:
    for _ in range(200):
        loop.call("epoll_wait", 10_000, ret=1, args="5", path=LOOP + ["libc:epoll_wait"])
        loop.call("accept4", 20_000, ret=-24, args="3", path=LOOP + ["take_client", "libc:accept4"])
        loop.run(15_000, LOOP + ["take_client", "libc:accept4"])
        loop.run(180_000, LOOP + ["log_error"])
    serve(loop, wait=False)
loop.trace.print()
