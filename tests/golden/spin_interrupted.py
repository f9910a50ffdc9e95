# SPDX-License-Identifier: GPL-2.0-only
"""One of three workers takes a request after 1 s and never ends a search for it. The runtime interrupts it all the time.
Answer: a spin in search, with no call but those of signal handlers."""
from interrupted import WORK, serve

trace, workers = serve(59, until=1_000_000_000)
workers[2].sleep("epoll_wait", 1_000_000, ret=1, args="4", path=["start_worker", "libc:epoll_wait"])
workers[2].call("read", 4_000, ret=100, args=12, path=WORK + ["libc:read"])
workers[2].compute(trace.end_ns - 12_000_000, WORK + ["search"])
for worker in workers[:2]:
    worker.stuck("epoll_wait", args="4")
trace.print()
