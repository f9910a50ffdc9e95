# SPDX-License-Identifier: GPL-2.0-only
"""Three workers with connections of their own, and a thread beside them."""
from synth import Thread


def begin_workers(trace):
    """The workers, and the keeper; all of them run. Worker i waits at descriptor 5 + i and reads from 15 + i."""
    for worker in range(3):
        trace.fd(5 + worker, "epoll")
        trace.fd(15 + worker, "accepted")
    workers = [Thread(trace, 101 + i, f"worker{i}", i) for i in range(3)]
    keeper = Thread(trace, 110, "keeper", 3)
    for thread in workers + [keeper]:
        thread.state("runnable", flags=" on_cpu")
        thread.begin()
    return workers, keeper
