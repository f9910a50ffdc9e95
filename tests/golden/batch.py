# SPDX-License-Identifier: GPL-2.0-only
"""A job that runs every second for about 300 ms, reads a file and writes another, and serves nobody.
Answer: nothing abnormal."""
from synth import Thread, Trace

trace = Trace(seconds=30, seed=87)
trace.fd(4, "file")
trace.fd(8, "file")
job = Thread(trace, 100, "job", 0)
job.state("runnable", flags=" on_cpu")
job.begin()
while job.now < trace.end_ns - 2_000_000_000:
    for _ in range(trace.random.randint(28, 32)):
        job.call("read", 50_000, ret=4096, args="4", path=["main", "run_job", "libc:read"])
        job.run(10_000_000, ["main", "run_job", "convert"])
        job.call("write", 50_000, ret=4096, args="8", path=["main", "run_job", "libc:write"])
    job.sleep("clock_nanosleep", 700_000_000, args="0", path=["main", "libc:clock_nanosleep"])
trace.print()
