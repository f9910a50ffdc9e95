# SPDX-License-Identifier: GPL-2.0-only
"""A thread of a server reads from a client that has left: read returns 0, which is taken for nothing yet.
Answer: a spin in read_line, by read of that socket."""
from spinning import begin, serve
from synth import Thread

loop = begin(82)
loop.trace.fd(9, "accepted")
worker = Thread(loop.trace, 101, "worker", 1)
worker.state("runnable", flags=" on_cpu")
worker.begin()
while worker.now < loop.trace.end_ns - 1_000_000:
    worker.call("read", 60_000, ret=0, args="9", path=["start_worker", "read_line", "libc:read"])
    worker.run(30_000, ["start_worker", "read_line"])
while loop.now < loop.trace.end_ns - 10_000_000:
    serve(loop)
loop.trace.print()
