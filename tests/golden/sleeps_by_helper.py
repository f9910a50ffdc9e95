# SPDX-License-Identifier: GPL-2.0-only
"""As tries_by_helper, but it sleeps once, for long.
Answer: a hang in take_lock_file, which decides for how long."""
from pool import LOOP, START, begin_late, serve
from synth import Thread

trace = begin_late(31)
trace.library_function("sleep_usecs", "libserver.so.0")
workers = [Thread(trace, 101 + i, f"worker{i}", i, now=START) for i in range(2)]
stuck = Thread(trace, 110, "worker2", 2, now=START)
serve(trace, workers, ["serve", "save", "take_lock_file"])
ASLEEP = [*LOOP, "serve", "save", "take_lock_file", "sleep_usecs", "libc:nanosleep"]
stuck.state("sleeping", call="nanosleep", since=stuck.now - 3_000_000, args="0x1000,0", path=ASLEEP)
stuck.state("sleeping", call="nanosleep", since=stuck.now - 3_000_000, args="0x1000,0", at_stop=True, path=ASLEEP)
trace.print()
