# SPDX-License-Identifier: GPL-2.0-only
"""Tasks of asyncio, one for each connection, that requests run in. Five have waited for their client's next message since before the window; three
others wait there as well, shortly.
Answer: nothing abnormal."""
from asyncio_tasks import serve_tasks
from tasks_asleep import SERVE

RECEIVE = tuple(SERVE) + ("recv", "wait")
serve_tasks(87, lambda random: (0, ()), short=[(RECEIVE, 3)], lasting=[(RECEIVE, 5, -3_000_000_000)])
