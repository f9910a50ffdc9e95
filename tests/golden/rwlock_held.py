# SPDX-License-Identifier: GPL-2.0-only
"""A thread that serves nobody takes a reader-writer lock for writing while it has it for reading, and so waits for itself. Its call looks
like that of a condition variable, on which another thread idles; the library's function in which it sleeps shows the difference.
Answer: a hang in refresh_table. No other thread."""
from beside import serve_beside, sleep_on, sleep_since
from synth import Thread, Trace

trace = Trace(seconds=3, seed=5)
trace.fd(5, "epoll")
trace.fd(6, "epoll")
START = 70_000_000_000  # so that the hang can lie before the window
trace.begin_at(START)

WORKER = ["start_worker", "worker_loop"]
still = [
    (100, "server", "pause", "", 69, ["main", "wait_for_signals", "libc:pause"]),
    (101, "refresher", "futex", "0x8f28,0x189,2,0,0,0", 40,
     ["start_refresher", "refresh_table", "libc:pthread_rwlock_wrlock"]),
    (103, "ticker", "futex", "0x9f00,0x189,2,0,0,0", 60, ["start_ticker", "wait_for_tick", "libc:pthread_cond_wait"]),
]
threads = sleep_since(trace, START, still)
busy = Thread(trace, 102, "worker1", 1, now=START)
idle = WORKER + ["libc:epoll_wait"]
busy.state("sleeping", call="epoll_wait", since=START - 1_000_000, args="6,0,64,0,0,0", path=idle)

serve_beside(busy, idle)
sleep_on(threads)
busy.state("sleeping", call="epoll_wait", since=busy.now, args="6,0,64,0,0,0", path=idle, at_stop=True)
trace.print()
