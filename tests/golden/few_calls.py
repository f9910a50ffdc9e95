# SPDX-License-Identifier: GPL-2.0-only
"""A batch program that makes few calls: it reads a block, works on it and writes the result; 4 blocks
of 100 take far too long to sort.
Answer: sort_block, by time, in units between calls that block."""
from synth import Thread, Trace

trace = Trace(seconds=8, seed=14)
trace.fd(5, "file")
trace.fd(6, "file")
batch = Thread(trace, 100, "batch", 0)
batch.state("runnable", flags=" on_cpu")
batch.begin()
while batch.now < trace.end_ns - 80_000_000:
    batch.sleep("pread64", trace.random.randint(200_000, 400_000), ret=65536, args="5",
                path=["main", "read_block", "libc:pread"])
    batch.run(trace.random.randint(1_500_000, 2_500_000), ["main", "work", "decode"])
    slow = trace.random.random() < 0.04
    batch.run(trace.random.randint(800_000, 1_200_000) * (30 if slow else 1),
              ["main", "work", "sort_block"])
    batch.call("pwrite64", 30_000, ret=65536, args="6", path=["main", "write_block"])
trace.print()
