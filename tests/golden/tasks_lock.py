# SPDX-License-Identifier: GPL-2.0-only
"""Requests are tasks; see tasks_asleep.py. Every 200 ms one of them reads a directory in look_up for 30 ms, with a lock for which four others
wait there.
Answer: read_directory first, which runs while they wait: a wait for another task has its cause in what that one does."""
from tasks_asleep import SERVE, serve_locked

serve_locked(79, tuple(SERVE + ["look_up", "libc:sync.(*Mutex).Lock"]), SERVE + ["look_up", "read_directory"])
