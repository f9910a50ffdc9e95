# SPDX-License-Identifier: GPL-2.0-only
"""Tasks of asyncio that have waited since before the window, and others of their sort are in no look. all_parts was started by a function in which
requests run, refresh_prices was not.
Answer: nothing can be said; all_parts is listed."""
from asyncio_tasks import serve_tasks
from tasks_asleep import SERVE

serve_tasks(86, lambda random: (0, ()), lasting=[
    (tuple(SERVE) + ("all_parts", "Queue.join", "Event.wait"), 1, -3_000_000_000),
    (("refresh", "refresh_prices"), 1, -3_000_000_000)])
