# SPDX-License-Identifier: GPL-2.0-only
"""Workers that have no connection look for jobs in memory each 40 ms, and sleep between; others serve clients.
Answer: nothing; a worker that waits for jobs is where no request runs."""
from pool import LOOP, START, begin_late, retry, serve
from synth import Thread

trace = begin_late(33)
workers = [Thread(trace, 101 + i, f"worker{i}", i, now=START) for i in range(2)]
idle = [Thread(trace, 110 + i, f"worker{2 + i}", 2 + i, now=START) for i in range(2)]
serve(trace, workers, ["serve", "save", "take_lock_file"])
for thread in idle:
    retry(thread, LOOP + ["wait_for_job"], [])
trace.print()
