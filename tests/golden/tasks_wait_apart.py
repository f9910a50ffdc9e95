# SPDX-License-Identifier: GPL-2.0-only
"""Requests are tasks; see tasks_asleep.py. 2 in 100 wait for 40 ms for a lock whose holder runs, and 2 in 100 sleep in compact_table, which has no
lock. Answer: both, because they are beside each other by chance alone."""
from tasks_asleep import SERVE, serve

LOCK = (tuple(SERVE + ["look_up", "libc:sync.(*Mutex).lockSlow"]),)
SLEEP = (tuple(SERVE + ["compact_table", "libc:time.Sleep"]),)
serve(71, lambda random: (random.randint(38_000_000, 42_000_000), random.choice((LOCK, SLEEP))) if random.random() < 0.04 else (0, ()))
