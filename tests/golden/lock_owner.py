# SPDX-License-Identifier: GPL-2.0-only
"""A thread has waited in a pipe for 60 s before the trace began, with a lock held that another one has
waited for since; a third serves requests.
Answer: a hang in wait_for_helper, and one in take_lock, of which the lock's memory names the owner."""
from beside import serve_beside
from synth import Thread, Trace

trace = Trace(seconds=3, seed=5)
trace.fd(5, "epoll")
trace.fd(6, "epoll")
trace.head.append("fd 100 9 pipe pipe:[4711]")
START = 70_000_000_000  # so that the hang can lie before the window
trace.meta("kernel_stacks", "/proc/101/stack may not be read: run as root of the host")
trace.begin_at(START)

stuck = ["start_worker", "worker_loop", "handle", "wait_for_helper", "libc:read"]
idle = ["start_worker", "worker_loop", "libc:epoll_wait"]
blocked = ["start_worker", "worker_loop", "handle", "take_lock", "libc:pthread_mutex_lock"]
hung = Thread(trace, 101, "worker0", 0, now=START)
hung.state("sleeping", call="read", since=START - 60_000_000_000, args="9,0,64,0,0,0", path=stuck)
busy = Thread(trace, 102, "worker1", 1, now=START)
busy.state("sleeping", call="epoll_wait", since=START - 1_000_000, args="6,0,64,0,0,0", path=idle)
waiting = Thread(trace, 103, "worker2", 2, now=START)
LOCKED = "0x8f00,0x80,2,0,0,0"
waiting.state("sleeping", call="futex", since=START - 59_000_000_000, args=LOCKED, path=blocked)
# pthread_mutex_t: taken with waiters, once, by 101.
trace.head.append("memory 103 0x8f00 02000000010000006500000001000000")

serve_beside(busy, idle)
hung.state("sleeping", call="read", since=START - 60_000_000_000, args="9,0,64,0,0,0", path=stuck,
           at_stop=True)
busy.state("sleeping", call="epoll_wait", since=busy.now, args="6,0,64,0,0,0", path=idle,
           at_stop=True)
waiting.state("sleeping", call="futex", since=START - 59_000_000_000, args=LOCKED, path=blocked,
              at_stop=True)
trace.print()
