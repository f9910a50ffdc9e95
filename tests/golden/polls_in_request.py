# SPDX-License-Identifier: GPL-2.0-only
"""A worker of three asks a directory, and has waited for it in a poll since before the trace began. The main thread runs what
the workers start with, and has waited for a signal in the middle of a request for as long. Threads idle in both calls elsewhere.
Answer: two hangs, in ask_directory and in wait_for_child, below functions in which requests of others run."""
from pool import LOOP, START, begin_late, serve
from synth import Thread

trace = begin_late(47)
workers = [Thread(trace, 101 + i, f"worker{i}", i, now=START) for i in range(2)]
serve(trace, workers, ["serve", "authorize"])
for tid, call, args, path in ((110, "poll", "0x7000,1,0xffffffff", LOOP + ["serve", "authorize", "ask_directory", "libc:poll"]),
                              (100, "rt_sigtimedwait", "0x7000,0,0,8",
                               ["main"] + LOOP + ["serve", "authorize", "wait_for_child", "libc:sigwait"])):
    stuck = Thread(trace, tid, "worker2" if tid == 110 else "server", 2 + (tid == 100), now=START)
    stuck.state("sleeping", call=call, since=START - 60_000_000_000, args=args, path=path)
    stuck.state("sleeping", call=call, since=START - 60_000_000_000, args=args, at_stop=True, path=path)
trace.print()
