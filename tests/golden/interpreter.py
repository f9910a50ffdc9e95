# SPDX-License-Identifier: GPL-2.0-only
"""Workers of a server in a language whose interpreter one thread runs at a time: each waits for that lock in slices
of 5 ms on a condition variable, and a thread of the program that does something every 100 ms takes it as well."""
from synth import Trace
from workers import begin_workers

SLICE_NS = 5_000_000
LOOP = ["start_worker", "worker_loop"]
KEEP = ["start_keeper", "keep"]


class Lock:
    """Has one holder at a time. A thread that waits is woken by the last one that had it."""

    def __init__(self, between_ns=1_000):
        self.free_at, self.holder, self.turn, self.between_ns = 0, None, 0, between_ns

    def take(self, thread, path):
        path = path + ["take_lock", "libc:pthread_cond_timedwait"]
        while self.free_at > thread.now + 10_000:
            left_ns = self.free_at - thread.now - 1_000
            timed_out = left_ns > SLICE_NS
            self.turn = 4 - self.turn
            thread.sleep("futex", min(left_ns, SLICE_NS), args=f"{0x7f00 + self.turn:#x},137", path=path,
                         ret=-110 if timed_out else 0, waker=None if timed_out else self.holder)
            thread.call("futex", self.between_ns if timed_out else 1_000, args="0x7f08,129", path=path)

    def give(self, thread):
        self.free_at, self.holder = thread.now, thread
        thread.call("futex", 2_000, ret=1, args="0x7f00,129", path=["drop_lock"])


def serve(seed, keeps, compute_ns=(80_000, 120_000), idle_ns=(300_000, 900_000), between_ns=1_000):
    """keeps: what the keeper does each time, while it has the lock; None: there is none. compute_ns: of a request.
    idle_ns: between two of a worker. between_ns: on a CPU after each slice that timed out."""
    trace = Trace(seconds=6, seed=seed)
    lock = Lock(between_ns)
    workers, keeper = begin_workers(trace)

    def ask(worker):
        """Up to where it needs the lock."""
        worker.sleep("epoll_wait", trace.random.randint(*idle_ns), ret=1, args=str(4 + worker.tid - 100),
                     path=LOOP + ["libc:epoll_wait"])
        worker.call("read", 5_000, ret=64, args=str(14 + worker.tid - 100), path=LOOP + ["read_request"])

    def rest():
        keeper.sleep("nanosleep", 95_000_000, path=["start_keeper", "libc:nanosleep"])

    for worker in workers:
        ask(worker)
    if keeps:
        rest()
    end_ns = trace.end_ns - 200_000_000
    # Who comes first has the lock first.
    while (thread := min(workers + [keeper] * bool(keeps), key=lambda each: each.now)).now < end_ns:
        lock.take(thread, KEEP if thread is keeper else LOOP + ["get_item"])
        if thread is keeper:
            keeps(keeper)
            lock.give(keeper)
            rest()
            continue
        thread.run(trace.random.randint(*compute_ns), LOOP + ["get_item", "evaluate"])
        lock.give(thread)
        thread.call("write", 10_000, ret=64, args=str(14 + thread.tid - 100), path=LOOP + ["reply", "libc:write"])
        ask(thread)
    for index, worker in enumerate(workers):
        worker.stuck("epoll_wait", args=str(5 + index))
    keeper.stuck("nanosleep")
    return trace
