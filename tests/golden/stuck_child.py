# SPDX-License-Identifier: GPL-2.0-only
"""Nothing has run since before the trace began. A request waits for the end of the program that it has begun, which waits for somebody to read from
its FIFO; three others wait for the lock of a file, which that request holds; the main thread waits for clients.
Answer: hangs in run_hook, in the program, and in acquire_lock. Who waits for a process that hangs does not wait for work, nor who waits for a
lock by which no thread takes its turn at waiting for clients."""
from pool import START, begin_late
from synth import Thread

SINCE = START - 20_000_000_000
REQUEST = ["handle_request", "do_put"]
trace = begin_late(83)
trace.fd(3, "listen")
trace.fd(14, "file")
asleep = (
    (100, 100, "server", "select", "4,0x7ffc1000", ["main", "serve_forever", "libc:select"]),
    (110, 100, "server", "wait4", "200,0x7ffc2000,0,0", REQUEST + ["run_hook", "libc:wait4"]),
    (200, 200, "filter", "openat", "0xffffff9c", ["start_filter", "open_input", "libc:open"]),
    *((tid, 100, "server", "flock", "14,2", REQUEST + ["acquire_lock", "libc:flock"]) for tid in (111, 112, 113)),
)
for at_stop in (False, True):
    for cpu, (tid, tgid, name, call, args, path) in enumerate(asleep):
        thread = Thread(trace, tid, name, cpu, now=START, tgid=tgid)
        thread.state("sleeping", call=call, since=SINCE, args=args, path=path, at_stop=at_stop)
trace.print()
