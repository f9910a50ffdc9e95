# SPDX-License-Identifier: GPL-2.0-only
"""Prints the trace of six workers whose requests take longer by one feature; all other features vary as well, and mean nothing.

Usage: explained_trace.py first|at-work|pause|nothing SEED
first: 2 ms for the first of the three requests of a connection. at-work: 0.15 ms for each other worker that is at work as the
request begins. pause: 20 us for each ms since the worker's last request."""
import heapq
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "golden"))
from pool import LOOP  # noqa: E402
from synth import Thread, Trace  # noqa: E402

WORKERS = 6
law, seed = sys.argv[1], int(sys.argv[2])
trace = Trace(seconds=6, seed=seed)
random = trace.random


class Worker(Thread):
    """Takes a connection, answers three requests and closes it."""

    def __init__(self, number):
        super().__init__(trace, 100 + number, f"worker-{number}", number)
        self.number, self.connection, self.left = number, 20 + number, 0
        self.begin_ns = 0  # of the next request, which was read …
        self.end_ns = 0  # … and of the last one that was answered
        self.state("runnable", flags=" on_cpu")
        self.begin()

    def get(self):
        """Waits for the next request, until now."""
        pause = random.choice((300_000, 1_000_000, 3_000_000, 8_000_000)) * random.uniform(0.7, 1.4)
        if self.left == 0:
            self.sleep("accept4", pause, ret=self.connection, args="4", path=LOOP + ["take", "libc:accept4"])
            self.left = 3
            pause = 60_000
        self.sleep("recvfrom", pause, ret=64, args=f"{self.connection}", path=LOOP + ["read_request", "libc:recv"])
        self.begin_ns = self.now

    def move(self):
        """Goes to its other CPU."""
        trace.add(self.now, self.cpu, f"switch {self.tid} 0 runnable preempted")
        self.cpu = self.number if self.cpu != self.number else self.number + WORKERS
        self.now += 3_000
        trace.add(self.now, self.cpu, f"switch 0 {self.tid} sleeping")

    def answer(self, at_work):
        """at_work: how many others are."""
        took = 200_000 * random.lognormvariate(0, 0.15)
        moves = random.random() < 0.3
        if law == "first":
            took += 2_000_000 * (self.left == 3)
        elif law == "at-work":
            took += 150_000 * at_work
        elif law == "pause" and self.end_ns:
            took += 20_000 * (self.begin_ns - self.end_ns) / 1e6
        elif law == "nothing":
            took *= random.lognormvariate(0, 1)
        if moves:
            self.run(20_000, LOOP + ["serve"])
            self.move()
        self.run(took, LOOP + ["serve", "make_page"])
        self.call("sendto", 10_000, ret=random.randint(100, 30_000), args=f"{self.connection}", path=LOOP + ["serve", "reply"])
        self.left -= 1
        if self.left == 0:
            self.call("close", 5_000, args=f"{self.connection}", path=LOOP + ["serve", "finish"])
        self.end_ns = self.now


trace.fd(4, "listen")
workers = [Worker(number) for number in range(WORKERS)]
due = []
for worker in workers:
    worker.get()
    heapq.heappush(due, (worker.begin_ns, worker.number))
while due:
    begin_ns, number = heapq.heappop(due)
    worker = workers[number]
    worker.answer(sum(other.end_ns > begin_ns for other in workers))
    if worker.now < trace.end_ns - 50_000_000:
        worker.get()
        heapq.heappush(due, (worker.begin_ns, number))
    else:
        worker.stuck("accept4" if worker.left == 0 else "recvfrom", args="4" if worker.left == 0 else f"{worker.connection}")
trace.print()
