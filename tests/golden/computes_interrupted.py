# SPDX-License-Identifier: GPL-2.0-only
"""A thread of the program's own compacts its data for 3 s, beside three workers that serve. The runtime interrupts it all the time.
Answer: nothing abnormal; it is none of those in which requests are."""
from interrupted import Interrupted, serve

trace, workers = serve(60)
compactor = Interrupted(trace, 110, "server", 5)
compactor.state("runnable", flags=" on_cpu")
compactor.begin()
compactor.call("getpid", 1_000, ret=100, path=["start_compactor", "compact"])
compactor.compute(trace.end_ns - 12_000_000, ["start_compactor", "compact", "merge_tables"])
for worker in workers:
    worker.stuck("epoll_wait", args="4")
trace.print()
