# SPDX-License-Identifier: GPL-2.0-only
"""Tasks of asyncio that have waited since before the window. Requests wait where all_parts does, shortly. It was started by a function in which requests
run, refresh_prices was not.
Answer: nothing can be said; all_parts is listed."""
from asyncio_tasks import serve_tasks
from tasks_asleep import SERVE

ALL_PARTS = tuple(SERVE) + ("all_parts", "Queue.join", "Event.wait")
serve_tasks(86, lambda random: (random.randint(100_000, 300_000), (ALL_PARTS,)) if random.random() < 0.5 else (0, ()), lasting=[
    (ALL_PARTS, 1, -3_000_000_000),
    (("refresh", "refresh_prices"), 1, -3_000_000_000)])
