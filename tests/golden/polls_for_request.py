# SPDX-License-Identifier: GPL-2.0-only
"""Two workers read from their clients. A third has waited for its client in a poll since before the trace began, in the function in
which the others take requests. The main thread waits for a signal, and a thread of its own kind for a child.
Answer: nothing abnormal; no thread is named."""
from pool import LOOP, START, begin_late, serve
from synth import Thread

trace = begin_late(53)
workers = [Thread(trace, 101 + i, f"worker{i}", i, now=START) for i in range(2)]
serve(trace, workers, ["serve", "authorize"])
for number, (tid, call, args, path) in enumerate((
        (110, "poll", "0x7000,1,0xffffffff", LOOP + ["read_request", "libc:poll"]),
        (100, "rt_sigtimedwait", "0x7000,0,0,8", ["main", "wait_for_end", "libc:sigwait"]),
        (111, "wait4", "0xffffffff,0,0,0", ["start_reaper", "reap", "libc:waitpid"]))):
    idle = Thread(trace, tid, {110: "worker2", 100: "server", 111: "reaper"}[tid], 2 + number, now=START)
    idle.state("sleeping", call=call, since=START - 60_000_000_000, args=args, path=path)
    idle.state("sleeping", call=call, since=START - 60_000_000_000, args=args, at_stop=True, path=path)
trace.print()
