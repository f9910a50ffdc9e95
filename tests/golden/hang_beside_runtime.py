# SPDX-License-Identifier: GPL-2.0-only
"""A worker waits in read() for a helper that never answers, for 20 s. Threads that idle, pause or serve a runtime have
slept for longer: main in pause(), others in a sleep of an hour, in sigtimedwait() and in wait4(), one on a word that
is 0 (Go's template thread), three workers of a garbage collector on one condition variable, and a spare worker.
A second worker serves.
Answer: a hang in ask_helper, and of no other thread."""
from beside import serve_beside, sleep_on, sleep_since
from synth import Thread, Trace

trace = Trace(seconds=3, seed=83)
trace.fd(6, "epoll")
trace.fd(9, "pipe")
START = 70_000_000_000  # so that the hang can lie before the window
trace.head = [line for line in trace.head if not line.startswith(("meta begin", "meta end"))]
trace.meta("begin_ns", str(START))
trace.end_ns = START + 3_000_000_000
trace.meta("end_ns", str(trace.end_ns))

WORKER = ["start_worker", "worker_loop"]
COND = "0x9f00,0x189,0,0,0,0"
still = [  # (tid, name, call, arguments, seconds, path)
    (100, "server", "pause", "", 69, ["main", "wait_for_signals", "libc:pause"]),
    (101, "worker0", "read", "9", 20, WORKER + ["handle", "ask_helper", "libc:read"]),
    (104, "worker3", "epoll_wait", "6,0,64,0,0,0", 66, WORKER + ["libc:epoll_wait"]),
    (105, "template", "futex", "0xaf00,0x80,0,0,0,0", 65, ["start_template", "template_thread", "note_sleep"]),
    (106, "gc0", "futex", COND, 64, ["start_gc", "gc_park", "libc:pthread_cond_wait"]),
    (107, "gc1", "futex", COND, 63, ["start_gc", "gc_park", "libc:pthread_cond_wait"]),
    (108, "gc2", "futex", COND, 62, ["start_gc", "gc_park", "libc:pthread_cond_wait"]),
    (109, "hourly", "nanosleep", "0x1000,0", 61, ["start_hourly", "sleep_until_due", "libc:nanosleep"]),
    (110, "signals", "rt_sigtimedwait", "0x1000,0,0,8", 60, ["start_signals", "next_signal", "libc:sigwaitinfo"]),
    (111, "reaper", "wait4", "0xffffffffffffffff,0,0,0", 59, ["start_reaper", "reap", "libc:waitpid"]),
]
threads = sleep_since(trace, START, still)
busy = Thread(trace, 102, "worker1", 1, now=START)
idle = WORKER + ["libc:epoll_wait"]
busy.state("sleeping", call="epoll_wait", since=START - 1_000_000, args="6,0,64,0,0,0", path=idle)
serve_beside(busy, idle)
sleep_on(threads)
busy.state("sleeping", call="epoll_wait", since=busy.now, args="6,0,64,0,0,0", path=idle, at_stop=True)
trace.print()
