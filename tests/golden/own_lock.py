# SPDX-License-Identifier: GPL-2.0-only
"""A worker takes a lock that it holds already, and a second one waits for that lock longer than it. The main
thread waits for signals, as it should; a third worker serves, and a fourth idles on a condition variable. One
more thread is parked on a word that is 0, as those of Go's runtime are, and one on a word that is -1, as Erlang's schedulers are.
Answer: a hang in reload_table, whose thread owns the lock itself; then one in look_up. No other thread."""
from beside import serve_beside, sleep_on, sleep_since
from synth import Thread, Trace

trace = Trace(seconds=3, seed=5)
trace.fd(5, "epoll")
trace.fd(6, "epoll")
START = 70_000_000_000  # so that the hang can lie before the window
trace.begin_at(START)

WORKER = ["start_worker", "worker_loop"]
LOCKED = "0x8f00,0x80,2,0,0,0"
still = [
    (100, "server", "pause", "", 69, ["main", "wait_for_signals", "libc:pause"]),
    (101, "worker0", "futex", LOCKED, 40, WORKER + ["handle", "reload_table", "libc:pthread_mutex_lock"]),
    (103, "worker2", "futex", LOCKED, 60, WORKER + ["handle", "look_up", "libc:pthread_mutex_lock"]),
    (104, "worker3", "futex", "0x9f00,0x189,0,0,0,0", 60, WORKER + ["libc:pthread_cond_wait"]),
    (105, "parked", "futex", "0xaf00,0x80,0,0,0,0", 60, ["start_parked", "park"]),
    (106, "scheduler", "futex", "0xbf00,0x80,0xffffffff,0,0,0", 60, ["start_scheduler", "wait_event"]),
]
threads = sleep_since(trace, START, still)
busy = Thread(trace, 102, "worker1", 1, now=START)
idle = WORKER + ["libc:epoll_wait"]
busy.state("sleeping", call="epoll_wait", since=START - 1_000_000, args="6,0,64,0,0,0", path=idle)
# pthread_mutex_t: taken with waiters, once, by 101. Each thread that waits for it has a copy.
for tid in (101, 103):
    trace.head.append(f"memory {tid} 0x8f00 02000000010000006500000001000000")

serve_beside(busy, idle)
sleep_on(threads)
busy.state("sleeping", call="epoll_wait", since=busy.now, args="6,0,64,0,0,0", path=idle, at_stop=True)
trace.print()
