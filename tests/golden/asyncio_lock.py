# SPDX-License-Identifier: GPL-2.0-only
"""Tasks of asyncio. 4 in 100 wait for 40 ms: known_price for a lock, whose holder fresh_price waits for a name server at that time.
Answer: fresh_price, a slow peer."""
from asyncio_tasks import HANDLE, serve_tasks

PLACES = (HANDLE + ("known_price", "__aenter__", "Lock.acquire"), HANDLE + ("fresh_price", "getaddrinfo"))
serve_tasks(81, lambda random: (random.randint(38_000_000, 42_000_000), PLACES) if random.random() < 0.04 else (0, ()))
