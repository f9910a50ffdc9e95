# SPDX-License-Identifier: GPL-2.0-only
"""Tasks of asyncio that have waited since before the window, and idle: at their client, for the package's next message, for news that a client
wants to know. Others of their sort wait shortly, for the next message as well.
Answer: nothing abnormal."""
from asyncio_tasks import HANDLE, serve_tasks

serve_tasks(84, lambda random: (0, ()), short=[(("handle", "recv"), 3)], lasting=[
    (("handle", "recv"), 5, -3_000_000_000),
    (HANDLE + ("read",), 3, -4_000_000_000),
    (HANDLE + ("subscribe", "Event.wait"), 2, -3_000_000_000),
    (("count_parts", "Queue.get"), 1, -3_000_000_000)])
