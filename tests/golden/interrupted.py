# SPDX-License-Identifier: GPL-2.0-only
"""A server whose runtime interrupts a thread that has run for 10 ms by a signal, as Go's does, so that another task may run: its handler
makes some calls, and often the thread waits for a moment in the runtime then. Three workers serve clients."""
from synth import Thread, Trace

WORK = ["start_worker", "serve"]


class Interrupted(Thread):
    def compute(self, until, path):
        while self.now < until:
            self.run(10_000_000, path)
            self.call("rt_sigprocmask", 2_000, path=["libc:handle_signal"])
            self.run(6_000, ["libc:handle_signal"])
            self.call("rt_sigreturn", 2_000, path=["libc:handle_signal"])
            if self.trace.random.random() < 0.5:
                self.run(8_000, ["libc:check_tasks"])
                self.sleep("futex", self.trace.random.randint(20_000, 200_000), args="0x7000,0x80,0", path=["libc:check_tasks"])


def serve(seed, seconds=4, until=None):
    """Three workers serve until the end, the third until then. Returns it, and the trace."""
    trace = Trace(seconds=seconds, seed=seed)
    trace.fd(4, "epoll")
    workers = [Interrupted(trace, 100 + number, "server", number) for number in range(3)]
    for number, worker in enumerate(workers):
        trace.fd(10 + number, "accepted")
        worker.state("runnable", flags=" on_cpu")
        worker.begin()
        end = until if until and number == 2 else trace.end_ns - 20_000_000
        while worker.now < end:
            worker.sleep("epoll_wait", trace.random.randint(500_000, 2_000_000), ret=1, args="4", path=["start_worker", "libc:epoll_wait"])
            worker.call("read", 4_000, ret=100, args=10 + number, path=WORK + ["libc:read"])
            worker.run(trace.random.randint(80_000, 120_000), WORK + ["make_page"])
            worker.call("write", 8_000, ret=200, args=10 + number, path=WORK + ["answer", "libc:write"])
    return trace, workers
