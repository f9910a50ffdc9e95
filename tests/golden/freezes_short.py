# SPDX-License-Identifier: GPL-2.0-only
"""The same, but three times 0.4 s long, asleep for a disk.
Answer: three freezes in save_snapshot: fewer than the five units of other findings, but each kept all clients waiting."""
from freezing import serve_and_freeze

serve_and_freeze(93, (20, 45, 70), ["main", "event_loop", "save_snapshot", "libc:fsync"], sleeps=True, ns=400_000_000)
