# SPDX-License-Identifier: GPL-2.0-only
"""An event loop that never sleeps, because there is always a client that asks; now and then it looks for more and finds none,
and another thread copies a file without end, asking a socket now and then whether to stop.
Answer: nothing abnormal; all of that makes progress."""
from spinning import LOOP, begin, serve
from synth import Thread

loop = begin(84)
copier = Thread(loop.trace, 101, "copier", 1)
loop.trace.fd(8, "file")
loop.trace.fd(9, "connected")
copier.state("runnable", flags=" on_cpu")
copier.begin()
while loop.now < loop.trace.end_ns - 2_000_000:
    serve(loop, wait=False)
    for _ in range(loop.trace.random.randint(0, 4)):
        loop.call("epoll_wait", 2_000, ret=1, args="5", path=LOOP + ["libc:epoll_wait"])
        loop.call("read", 3_000, ret=-11, args="7", path=LOOP + ["read_request"])
loop.stuck("epoll_wait", args="5")
while copier.now < loop.trace.end_ns - 2_000_000:
    for _ in range(8):
        copier.call("poll", 3_000, ret=0, args="0x7f00", path=["copy", "libc:poll"])
    copier.call("read", 40_000, ret=65536, args="8", path=["copy", "libc:read"])
    copier.run(40_000, ["copy", "compress"])
loop.trace.print()
