# SPDX-License-Identifier: GPL-2.0-only
"""The same, but once: a single stall below a second is chance.
Answer: nothing."""
from freezing import serve_and_freeze

serve_and_freeze(94, (30,), ["main", "event_loop", "save_snapshot", "libc:fsync"], sleeps=True, ns=400_000_000)
