# SPDX-License-Identifier: GPL-2.0-only
"""Tasks of asyncio. A request that came after 3 s was not answered: from then on its task waits for a future of its own. No others of its sort wait.
Another task has waited since 2 s after that, without a request.
Answer: never_ends hangs."""
from asyncio_tasks import HANDLE, serve_tasks

once = [3_000_000_000]


def wait_of(random, now_ns):
    del random
    if once and now_ns > once[0]:
        once.clear()
        return 100_000_000_000, ()
    return 0, ()


serve_tasks(85, wait_of, timed=True, lasting=[
    (HANDLE + ("never_ends",), 1, 3_010_000_000),
    (("refresh",), 1, 5_010_000_000)])
