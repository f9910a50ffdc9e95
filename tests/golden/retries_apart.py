# SPDX-License-Identifier: GPL-2.0-only
"""Each connection has a thread, which serves one request and ends. One that began before the trace has found a directory locked since then, and
tries again every 40 ms. A thread that flushes a log sleeps as often.
Answer: a hang in lock_directory. Threads that have ended served requests where it began."""
from pool import START, begin_late, retry
from synth import Thread

SERVE = ["serve_connection", "handle"]
trace = begin_late(89)
trace.fd(3, "listen")
main = Thread(trace, 100, "server", 0, now=START)
main.state("runnable", flags=" on_cpu")
main.begin()
tid = 120
while main.now < trace.end_ns - 60_000_000:
    main.sleep("accept4", trace.random.randint(4_000_000, 9_000_000), ret=7, args="3", path=["main", "libc:accept"])
    tid += 1
    serves = main.fork(tid, "server", 4)
    trace.fd(7, "accepted")
    serves.call("recvfrom", 5_000, ret=64, args="7", path=SERVE + ["libc:recv"])
    serves.run(trace.random.randint(900_000, 1_200_000), SERVE + ["render"])
    serves.call("sendto", 10_000, ret=64, args="7", path=SERVE + ["libc:send"])
    serves.exit()
main.stuck("accept4", args="3")
main.state("sleeping", call="accept4", since=main.now, args="3", at_stop=True, path=["main", "libc:accept"])
for number, path in ((1, SERVE + ["lock_directory"]), (2, ["flush_log"])):
    retry(Thread(trace, 100 + number, "server", number, now=START), path, ["symlink"])
trace.print()
