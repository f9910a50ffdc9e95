# SPDX-License-Identifier: GPL-2.0-only
"""Workers that take a lock in each request, and a thread that writes the journal under that lock, and
loses its CPU now and then while it has it."""
from synth import Trace
from workers import begin_workers

LOCK = "0x7f00,0x80,2"
LOOP = ["start_worker", "worker_loop"]
KEEP = ["start_keeper", "keep"]


def serve(seed, starved_share, compact_share, often_ns=None):
    """Of the keeper's turns, these shares wait for a CPU with the lock held, and compact the journal
    for 5 ms. From often_ns on samples come four times as often."""
    trace = Trace(seconds=6, seed=seed)
    if often_ns:
        trace.sample_from(often_ns, 250_000)
    trace.fd(9, "file")
    workers, keeper = begin_workers(trace)

    held = []
    while keeper.now < trace.end_ns - 200_000_000:
        keeper.sleep("nanosleep", 10_000_000, path=["start_keeper", "libc:nanosleep"])
        begin = keeper.now
        starved = trace.random.random() < starved_share
        keeper.sleep("fdatasync", trace.random.randint(60_000, 120_000), args="9",
                     path=KEEP + ["write_journal", "libc:fdatasync"],
                     queue_ns=trace.random.randint(3_000_000, 6_000_000) if starved else 2000)
        if trace.random.random() < compact_share:
            keeper.run(5_000_000, KEEP + ["compact"])
        keeper.run(20_000, KEEP + ["write_journal"])
        if starved:
            keeper.wait_for_cpu(trace.random.randint(1_000_000, 3_000_000))
        keeper.run(20_000, KEEP + ["write_journal"])
        held.append((begin, keeper.now))
        keeper.call("futex", 2_000, ret=1, args="0x7f00,0x81", path=KEEP)

    for index, worker in enumerate(workers):
        last = 0
        while worker.now < trace.end_ns - 200_000_000:
            worker.sleep("epoll_wait", trace.random.randint(300_000, 900_000), ret=1,
                         args=str(5 + index), path=LOOP + ["libc:epoll_wait"])
            worker.call("read", 5_000, ret=64, args=str(15 + index), path=LOOP + ["read_request"])
            while held[last][1] < worker.now + 10_000:
                last += 1
            if held[last][0] <= worker.now:
                worker.sleep("futex", held[last][1] - worker.now - 1000, args=LOCK, waker=keeper,
                             path=LOOP + ["get_item", "libc:pthread_mutex_lock"])
            worker.run(trace.random.randint(80_000, 120_000), LOOP + ["get_item"])
            worker.call("write", 10_000, ret=64, args=str(15 + index),
                        path=LOOP + ["reply", "libc:write"])
        worker.stuck("epoll_wait", args=str(5 + index))
    keeper.stuck("nanosleep")
    return trace
