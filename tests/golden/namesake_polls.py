# SPDX-License-Identifier: GPL-2.0-only
"""All threads have one name. A loop accepts clients, and waits for them in an epoll; two workers serve them; a third has waited in an epoll of
its own for a directory, below authorize, since before the trace began; a second loop has had nothing to do for as long.
Answer: a hang in ask_directory. That the loop waits for work in an epoll does not make that worker idle, but the second loop, which began as
the first did."""
from pool import LOOP, START, begin_late, serve
from synth import Thread

ACCEPT = ["start_loop", "loop"]
trace = begin_late(67)
trace.fd(5, "epoll")
trace.fd(6, "epoll")
loop = Thread(trace, 100, "server", 0, now=START)
loop.state("runnable", flags=" on_cpu")
loop.begin()
while loop.now < trace.end_ns - 60_000_000:
    loop.sleep("epoll_wait", trace.random.randint(20_000_000, 40_000_000), ret=1, args="5", path=ACCEPT + ["libc:epoll_wait"])
    loop.call("accept4", 8_000, ret=9, args="3", path=ACCEPT + ["libc:accept4"])
    loop.call("close", 3_000, args="9", path=ACCEPT + ["libc:close"])
loop.stuck("epoll_wait", args="5")
loop.state("sleeping", call="epoll_wait", since=loop.now, args="5,0,64,0", at_stop=True, path=ACCEPT + ["libc:epoll_wait"])
workers = [Thread(trace, 101 + i, "server", 1 + i, now=START) for i in range(2)]
serve(trace, workers, ["serve", "authorize"])
for number, (tid, path) in enumerate(((110, LOOP + ["serve", "authorize", "ask_directory"]), (111, ACCEPT))):
    waits = Thread(trace, tid, "server", 3 + number, now=START)
    for at_stop in (False, True):
        waits.state("sleeping", call="epoll_wait", since=START - 60_000_000_000, args="6,0,64,0xffffffff",
                    path=path + ["libc:epoll_wait"], at_stop=at_stop)
trace.print()
