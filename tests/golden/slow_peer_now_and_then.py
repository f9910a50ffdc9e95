# SPDX-License-Identifier: GPL-2.0-only
"""Workers ask a cache and a backend in each request; one answer of the backend in 25 takes 25 times as long.
Answer: outside the program, a slow peer: the backend's address, and not the cache's.
Waits."""
from backends import serve

serve(73, lambda random: random.randint(900_000, 1_100_000) * (25 if random.random() < 0.04 else 1))
