# SPDX-License-Identifier: GPL-2.0-only
"""Requests are tasks; see tasks_asleep.py. 3 in 100 wait for 40 ms in a lock, whose holder sleeps in compact_table.
Answer: compact_table, for which look_up waits. The flusher, and connections without a request, wait as ever."""
from tasks_asleep import SERVE, serve

LOCK = (tuple(SERVE + ["look_up", "libc:sync.(*Mutex).lockSlow"]), ("compact_table", "libc:time.Sleep"))
serve(71, lambda random: (random.randint(38_000_000, 42_000_000), LOCK) if random.random() < 0.03 else (0, ()))
