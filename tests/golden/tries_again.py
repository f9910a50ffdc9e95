# SPDX-License-Identifier: GPL-2.0-only
"""A worker of three wants a lock file that another program has left there: it tries to make it, sleeps for 40 ms, and tries
again, since before the trace began. A thread that started in the same function tidies up, and sleeps in the same way.
Answer: a hang in take_lock_file, below which requests of others run; nothing about tidy_up."""
from pool import LOOP, START, begin_late, retry, serve
from synth import Thread

trace = begin_late(31)
workers = [Thread(trace, 101 + i, f"worker{i}", i, now=START) for i in range(2)]
stuck = Thread(trace, 110, "worker2", 2, now=START)
tidy = Thread(trace, 111, "tidy", 3, now=START)
serve(trace, workers, ["serve", "save", "take_lock_file"])
retry(stuck, LOOP + ["serve", "save", "take_lock_file"], ["openat"])
retry(tidy, LOOP + ["tidy_up"], ["unlink"])
trace.print()
