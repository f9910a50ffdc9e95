# SPDX-License-Identifier: GPL-2.0-only
"""A server that is well, with threads that are in a call from before the window to its end.
Signatures alone: learned.
Answer: nothing abnormal; one call by itself does not show that they hang in wait_for_quiet."""
from server import serve
from synth import Thread

trace = serve(seed=5, seconds=4, slow_share=0, stack_min_ns=None)
for tid in range(101, 105):
    thread = Thread(trace, tid, "server", 1)
    thread.state("sleeping", call="nanosleep", since=0)
    thread.state("sleeping", call="nanosleep", since=0, at_stop=True)
trace.print()
