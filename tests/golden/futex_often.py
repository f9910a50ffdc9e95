# SPDX-License-Identifier: GPL-2.0-only
"""An event loop in which 3 requests of 100 compute for long, and take and give back a lock that nobody else wants
some twenty times while they do so. Samples record which of them hit the kernel.
Answer: render_table, by time: it is on a CPU, and hardly in those calls."""
from loop import serve_by_loop
from synth import Trace

trace = Trace(seconds=4, seed=39)
HANDLE = ["main", "event_loop", "handle"]


def handle(loop):
    loop.run(trace.random.randint(80_000, 120_000), HANDLE + ["parse"])
    loop.run(20_000, HANDLE + ["parse"], kernel="do_syscall_64")
    if trace.random.random() < 0.03:
        for _ in range(21):
            loop.run(trace.random.randint(150_000, 250_000), HANDLE + ["render_table"])
            loop.call("futex", 2_000, args="0x8f00,0x81,1", path=HANDLE + ["render_table"])


serve_by_loop(trace, handle)
