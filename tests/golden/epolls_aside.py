# SPDX-License-Identifier: GPL-2.0-only
"""A loop that waits in a select for datagrams, and in each turn looks into an epoll without waiting, for signals and timers that hardly
ever come. One request of 25 takes 3 ms longer in find_lease.
Answer: find_lease; requests take as long as from the select to the answer, and the sleep in it is no part of them."""
from synth import Thread, Trace

LOOP = ["main", "run"]
trace = Trace(seconds=5, seed=97)
trace.fd(6, "datagram")
trace.fd(8, "epoll")
server = Thread(trace, 100, "server", 0)
server.state("runnable", flags=" on_cpu")
server.begin()
while server.now < trace.end_ns - 20_000_000:
    server.call("epoll_wait", 2_000, ret=0, args="8", path=LOOP + ["libc:epoll_wait"])
    server.sleep("pselect6", trace.random.randint(1_000_000, 6_000_000), ret=1, args="7", path=LOOP + ["libc:select"])
    server.call("recvmsg", 6_000, ret=252, args="6", path=LOOP + ["receive"])
    server.run(trace.random.randint(90_000, 130_000), LOOP + ["answer", "parse"])
    if trace.random.random() < 0.04:
        server.run(3_000_000, LOOP + ["answer", "find_lease"])
    server.call("sendmsg", 12_000, ret=270, args="6", path=LOOP + ["answer", "send"])
trace.print()
