# SPDX-License-Identifier: GPL-2.0-only
"""Tasks move between the threads of a runtime; see tasks.py. 1 in 10 of the requests that go on in another thread is checked for
5 ms instead of 0.1.
Answer: check, by time."""
from tasks import serve

serve(62, lambda random: random.randint(4_500_000, 5_500_000) if random.random() < 0.1 else random.randint(80_000, 120_000))
