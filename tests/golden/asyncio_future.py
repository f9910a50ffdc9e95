# SPDX-License-Identifier: GPL-2.0-only
"""Tasks of asyncio. 4 in 100 wait for 40 ms for a future of their own, ask_packer, which pack_orders ends: it sleeps before that.
Answer: pack_orders."""
from asyncio_tasks import HANDLE, serve_tasks

PLACES = (HANDLE + ("ask_packer",), ("pack_orders", "sleep"))
serve_tasks(82, lambda random: (random.randint(38_000_000, 42_000_000), PLACES) if random.random() < 0.04 else (0, ()))
