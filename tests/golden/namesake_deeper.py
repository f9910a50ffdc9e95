# SPDX-License-Identifier: GPL-2.0-only
"""Workers of one name, begun by one function, wait for clients in an epoll, below next_event. One has waited in an epoll as well, for a directory
below authorize, since before the trace began.
Answer: a hang in ask_directory. It waits as the others wait for work, but not where they do."""
from pool import LOOP, START, begin_late
from synth import Thread

trace = begin_late(71)
WAIT = LOOP + ["next_event", "libc:epoll_wait"]
for number in range(3):
    poll, client = 5 + number, 20 + number
    trace.fd(poll, "epoll")
    trace.fd(client, "accepted")
    worker = Thread(trace, 101 + number, "server", number, now=START)
    worker.state("runnable", flags=" on_cpu")
    worker.begin()
    while worker.now < trace.end_ns - 20_000_000:
        worker.sleep("epoll_wait", trace.random.randint(300_000, 900_000), ret=1, args=str(poll), path=WAIT)
        worker.call("recvfrom", 5_000, ret=64, args=str(client), path=LOOP + ["serve", "libc:recv"])
        worker.run(trace.random.randint(80_000, 120_000), LOOP + ["serve", "authorize"])
        worker.call("sendto", 10_000, ret=64, args=str(client), path=LOOP + ["serve", "reply"])
    worker.stuck("epoll_wait", args=str(poll))
    worker.state("sleeping", call="epoll_wait", since=worker.now, args=f"{poll},0,64,0", at_stop=True, path=WAIT)
trace.fd(9, "epoll")
waits = Thread(trace, 110, "server", 3, now=START)
for at_stop in (False, True):
    waits.state("sleeping", call="epoll_wait", since=START - 60_000_000_000, args="9,0,64,0xffffffff",
                path=LOOP + ["serve", "authorize", "ask_directory", "libc:epoll_wait"], at_stop=at_stop)
trace.print()
