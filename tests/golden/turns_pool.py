# SPDX-License-Identifier: GPL-2.0-only
"""An event loop (turns.py) that gives each request to a thread of a pool, which computes for 0.1 to 0.2 ms, and for 3 of 100 for 15 ms.
Answer: compress, by the pool's rounds and by the requests that wait for it; not what the loop does."""
from turns import Server


def handle(server, fd):
    slow = server.random.random() < 0.03
    server.give_to_pool(fd, server.random.randint(14_000_000, 16_000_000) if slow else server.random.randint(100_000, 200_000),
                        ["start_worker", "do_job", "compress" if slow else "encode"])


Server(83, pool=True).run(handle)
