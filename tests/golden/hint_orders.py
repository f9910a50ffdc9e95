# SPDX-License-Identifier: GPL-2.0-only
"""Two independent bugs that cost about the same: one request of 40 computes too long in find_item, another of 40 sleeps for a
set time in wait_for_reply. find_item has a little more of the extra time, less than a tenth.
Answer: both, and wait_for_reply first, because a rule of thumb says what to change there."""
from loop import serve_by_loop
from synth import Trace

HANDLE = ["main", "event_loop", "handle"]
trace = Trace(seconds=8, seed=5)


def handle(loop):
    loop.run(trace.random.randint(80_000, 120_000), HANDLE + ["parse"])
    turn = trace.random.random()
    if turn < 1 / 40:
        loop.run(trace.random.randint(4_700_000, 5_700_000), HANDLE + ["find_item"])
    elif turn < 2 / 40:
        loop.sleep("clock_nanosleep", 4_300_000, path=HANDLE + ["wait_for_reply", "libc:usleep"])


serve_by_loop(trace, handle, last_ns=40_000_000)
