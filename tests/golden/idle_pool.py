# SPDX-License-Identifier: GPL-2.0-only
"""A pool of workers that keep a connection each: two serve theirs; three have none, and have waited
for one on the pool's condition variable since before the window; one sleeps on another condition
variable, in the middle of what the others do for a request.
Answer: a hang in wait_for_status, that alone."""
from pool import LOOP, START, begin_late, serve
from synth import Thread

trace = begin_late(seed=9)
still = {"spare": (LOOP + ["pop_client", "libc:pthread_cond_wait"], "0x7e00,0x189,0,0,0,0"),
         "hung": (LOOP + ["serve", "wait_for_status", "libc:pthread_cond_wait"], "0x8f00,0x189,0,0,0,0")}
standing = [Thread(trace, 101 + i, name, i, now=START) for i, name in
            enumerate(["spare", "spare", "spare", "hung"])]
serving = [Thread(trace, 105 + i, "worker", 4 + i, now=START) for i in range(2)]
for thread in standing:
    path, args = still[thread.comm]
    thread.state("sleeping", call="futex", since=START - 60_000_000_000, args=args, path=path)
serve(trace, serving, ["serve", "make_page"])
for thread in standing:
    path, args = still[thread.comm]
    thread.state("sleeping", call="futex", since=START - 60_000_000_000, args=args, path=path,
                 at_stop=True)
trace.print()
