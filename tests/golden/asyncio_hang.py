# SPDX-License-Identifier: GPL-2.0-only
"""Tasks of asyncio. One that serves has waited in Queue.join since before the window; others of its sort wait shortly, in look_up. A worker at its
queue and a task that waits for the end of the program have waited as long, and idle.
Answer: all_parts hangs."""
from asyncio_tasks import HANDLE, serve_tasks

PLACES = (HANDLE + ("look_up", "getaddrinfo"),)
serve_tasks(83, lambda random: (random.randint(1_000_000, 3_000_000), PLACES) if random.random() < 0.2 else (0, ()), lasting=[
    (HANDLE + ("all_parts", "Queue.join", "Event.wait"), 1, -3_000_000_000),
    (("count_parts", "Queue.get"), 1, -3_000_000_000),
    (("raise_shutdown", "Event.wait"), 1, -9_000_000_000)])
