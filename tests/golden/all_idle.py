# SPDX-License-Identifier: GPL-2.0-only
"""No thread does anything in the window: three wait on a condition variable since a minute before it,
and one for clients. They may be hung, or idle.
Answer: that nothing can be said, and where the three are, unsure."""
from synth import Thread, Trace

trace = Trace(seconds=3, seed=9)
START = 70_000_000_000
trace.begin_at(START)

rows = [("main", "accept", "3,0,0,0,0,0", ["main", "libc:accept"])]
rows += [("worker", "futex", "0x7e00,0x189,0,0,0,0",
          ["start_worker", "serve", "take_handle", "libc:pthread_cond_wait"])] * 3
for at_stop in (False, True):
    for number, (name, call, args, path) in enumerate(rows):
        Thread(trace, 101 + number, name, number, now=START).state(
            "sleeping", call=call, since=START - 60_000_000_000, args=args, path=path, at_stop=at_stop)
trace.print()
