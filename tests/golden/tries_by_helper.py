# SPDX-License-Identifier: GPL-2.0-only
"""As tries_again, but a function of the program's library sleeps: sleep_usecs, which does nothing else.
Answer: a hang in take_lock_file, which decides when to sleep, and for how long."""
from pool import LOOP, START, begin_late, retry, serve
from synth import Thread

trace = begin_late(31)
trace.library_function("sleep_usecs", "libserver.so.0")
workers = [Thread(trace, 101 + i, f"worker{i}", i, now=START) for i in range(2)]
stuck = Thread(trace, 110, "worker2", 2, now=START)
serve(trace, workers, ["serve", "save", "take_lock_file"])
retry(stuck, LOOP + ["serve", "save", "take_lock_file"], ["openat"], ["sleep_usecs"])
trace.print()
