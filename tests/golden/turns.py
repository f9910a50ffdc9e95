# SPDX-License-Identifier: GPL-2.0-only
"""An event loop that serves four clients, each of which sends its next request some time after its answer. A request of a kind that
waits is answered in a later turn of the loop, while the loop serves the others."""
import heapq

from synth import Thread, Trace

CLIENTS = (7, 8, 9, 10)
EVENT, PEER, EPOLL = 6, 20, 5
LOOP = ["main", "run_loop"]
JOBS = "0x7e00,0x81"
IDLE = "0x7e00,0x80"


class Server:
    def __init__(self, seed, seconds=6, pool=False):
        self.trace = Trace(seconds=seconds, seed=seed)
        self.random = self.trace.random
        for fd, kind in [(EPOLL, "epoll"), (EVENT, "event"), (PEER, "connected")] + [(fd, "accepted") for fd in CLIENTS]:
            self.trace.fd(fd, kind)
        self.loop = Thread(self.trace, 100, "server", 0)
        self.worker = Thread(self.trace, 101, "pool", 1) if pool else None
        for thread in [self.loop] + ([self.worker] if pool else []):
            thread.state("runnable", flags=" on_cpu")
            thread.begin()
        self.due = [(self.random.randint(1, 2_000_000), fd, None) for fd in CLIENTS]
        heapq.heapify(self.due)

    def later(self, ns, fd, what):
        """what: None for the client's next request, else a function that goes on with the one it waits with."""
        heapq.heappush(self.due, (self.loop.now + int(ns), fd, what))

    def answer(self, fd):
        self.loop.call("write", 10_000, ret=64, args=str(fd), path=LOOP + ["send_answer"])
        self.later(self.random.randint(1_000_000, 3_000_000), fd, None)

    def run(self, handle):
        """handle: called with the server and the client's descriptor once a request was read."""
        while self.due and self.loop.now < self.trace.end_ns - 100_000_000:
            at, fd, what = heapq.heappop(self.due)
            waker = getattr(what, "waker", None)
            self.loop.sleep("epoll_wait", max(at - self.loop.now, 20_000), ret=getattr(what, "events", 1),
                            args=str(EPOLL), waker=waker, path=LOOP + ["libc:epoll_wait"])
            if what:
                what()
                continue
            self.loop.call("read", 5_000, ret=64, args=str(fd), path=LOOP + ["read_request"])
            self.loop.run(self.random.randint(80_000, 140_000), LOOP + ["handle_request"])
            handle(self, fd)
        self.loop.sleep("epoll_wait", 1_000_000, ret=1, args=str(EPOLL), path=LOOP + ["libc:epoll_wait"])
        self.loop.call("read", 5_000, ret=8, args=str(EVENT), path=LOOP + ["read_event"])
        if self.worker:
            self.worker.stuck("futex", args=IDLE)
        self.loop.stuck("epoll_wait", args=str(EPOLL))
        self.trace.print()

    def wait_for_timer(self, fd, ns, path):
        self.loop.run(60_000, LOOP + path)

        def go_on():
            self.loop.run(30_000, LOOP + path)
            self.answer(fd)
        go_on.events = 0
        self.later(ns, fd, go_on)

    def ask_peer(self, fd, ns, path):
        self.loop.call("sendto", 20_000, ret=32, args=str(PEER), path=LOOP + path)
        self.loop.run(40_000, LOOP + path)

        def go_on():
            self.loop.call("recvfrom", 5_000, ret=32, args=str(PEER), path=LOOP + path)
            self.loop.run(30_000, LOOP + path)
            self.answer(fd)
        self.later(ns, fd, go_on)

    def give_to_pool(self, fd, ns, path):
        """The pool computes for ns in path."""
        self.loop.call("futex", 3_000, ret=1, args=JOBS, path=LOOP + ["push_job"])
        worker = self.worker
        worker.sleep("futex", max(self.loop.now - worker.now, 1000), args=IDLE, waker=self.loop,
                     path=["start_worker", "libc:pthread_cond_wait"])
        worker.run(ns, path)
        worker.call("write", 5_000, ret=8, args=str(EVENT), path=["start_worker", "hand_back"])

        def go_on():
            self.loop.call("read", 2_000, ret=8, args=str(EVENT), path=LOOP + ["read_event"])
            self.answer(fd)
        go_on.waker = worker
        heapq.heappush(self.due, (worker.now, fd, go_on))
