# SPDX-License-Identifier: GPL-2.0-only
"""One worker of two has waited in a pipe for 60 s before the trace began; the threads that idle
in epoll and on a condition variable are as they should be.
Answer: a hang in wait_for_helper, that alone."""
from beside import serve_beside
from synth import Thread, Trace

trace = Trace(seconds=3, seed=5)
trace.fd(5, "epoll")
trace.fd(6, "epoll")
trace.fd(9, "pipe")
START = 70_000_000_000  # so that the hang can lie before the window
trace.begin_at(START)

stuck = ["start_worker", "worker_loop", "handle", "wait_for_helper", "libc:read"]
idle = ["start_worker", "worker_loop", "libc:epoll_wait"]
spare = ["start_spare", "spare_loop", "libc:pthread_cond_wait"]
trace.meta("kernel_stack.101", "anon_pipe_read vfs_read ksys_read")
hung = Thread(trace, 101, "worker0", 0, now=START)
hung.state("sleeping", call="read", since=START - 60_000_000_000, args="9,0,64,0,0,0", path=stuck)
busy = Thread(trace, 102, "worker1", 1, now=START)
busy.state("sleeping", call="epoll_wait", since=START - 1_000_000, args="6,0,64,0,0,0", path=idle)
waiting = Thread(trace, 103, "spare", 2, now=START)
waiting.state("sleeping", call="futex", since=START - 60_000_000_000,
              args="0x8f00,0x189,0,0,0,0", path=spare)

serve_beside(busy, idle)
hung.state("sleeping", call="read", since=START - 60_000_000_000, args="9,0,64,0,0,0", path=stuck,
           at_stop=True)
busy.state("sleeping", call="epoll_wait", since=busy.now, args="6,0,64,0,0,0", path=idle,
           at_stop=True)
waiting.state("sleeping", call="futex", since=START - 60_000_000_000,
              args="0x8f00,0x189,0,0,0,0", path=spare, at_stop=True)
trace.print()
