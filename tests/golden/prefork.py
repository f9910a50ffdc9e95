# SPDX-License-Identifier: GPL-2.0-only
"""Four processes that each accept a connection, answer it and close it; in 4 of 100 a lock file is
waited for with a sleep.
Answer: lock_file, which sleeps where none should.
Model."""
from accepting import serve_by_processes


def rarely(process):
    process.sleep("clock_nanosleep", 10_000_000,
                  path=["main", "child_main", "handle", "lock_file", "libc:usleep"])


serve_by_processes(12, rarely)
