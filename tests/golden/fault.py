# SPDX-License-Identifier: GPL-2.0-only
"""One worker of two has waited for a page of a mapped file for 60 s before the trace began, in no
system call. A timer thread, stopped by a signal, sleeps in no call either.
Answer: a hang in checksum_page, that alone."""
from beside import serve_beside
from synth import Thread, Trace

trace = Trace(seconds=3, seed=5)
trace.fd(6, "epoll")
START = 70_000_000_000  # so that the hang can lie before the window
trace.begin_at(START)

stuck = ["start_worker", "worker_loop", "handle", "checksum_page"]
idle = ["start_worker", "worker_loop", "libc:epoll_wait"]
timer = ["start_timer", "timer_loop", "tick"]
trace.meta("kernel_stack.101", "folio_wait_bit_common filemap_fault __do_fault")
hung = Thread(trace, 101, "worker0", 0, now=START)
hung.state("disk", since=START - 60_000_000_000, path=stuck)
busy = Thread(trace, 102, "worker1", 1, now=START)
busy.state("sleeping", call="epoll_wait", since=START - 1_000_000, args="6,0,64,0,0,0", path=idle)
stopped = Thread(trace, 103, "timer", 2, now=START)
stopped.state("stopped", since=START - 60_000_000_000, path=timer)

serve_beside(busy, idle)
hung.state("disk", since=START - 60_000_000_000, path=stuck, at_stop=True)
busy.state("sleeping", call="epoll_wait", since=busy.now, args="6,0,64,0,0,0", path=idle,
           at_stop=True)
stopped.state("stopped", since=START - 60_000_000_000, path=timer, at_stop=True)
trace.print()
