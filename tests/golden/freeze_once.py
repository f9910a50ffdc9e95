# SPDX-License-Identifier: GPL-2.0-only
"""The same, but it freezes once, asleep for a disk.
Answer: one freeze in save_snapshot."""
from freezing import serve_and_freeze

serve_and_freeze(89, (30,), ["main", "event_loop", "save_snapshot", "libc:fsync"], sleeps=True)
