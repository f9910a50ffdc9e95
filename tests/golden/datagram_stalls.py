# SPDX-License-Identifier: GPL-2.0-only
"""A server of datagrams, about fifty requests a second, which reads them after a select. Three times in 60 s it runs a script
for an answer, and waits for its output in another select for 1.5 s.
Answer: three freezes in run_script."""
from synth import Thread, Trace

LOOP = ["main", "serve"]

trace = Trace(seconds=60, seed=131)
trace.fd(4, "datagram")
trace.sample_from(0, 10_000_000)
due = [12, 29, 47]
loop = Thread(trace, 100, "server", 0)
loop.state("runnable", flags=" on_cpu")
loop.begin()
while loop.now < trace.end_ns - 2_000_000_000:
    loop.sleep("pselect6", trace.random.randint(10_000_000, 25_000_000), ret=1, args="5", path=LOOP + ["libc:select"])
    loop.call("recvmsg", 5_000, ret=64, args="4", path=LOOP + ["read_request"])
    loop.run(trace.random.randint(80_000, 140_000), LOOP + ["handle", "parse"])
    if due and loop.now > due[0] * 1_000_000_000:
        due.pop(0)
        for _ in range(2):
            loop.sleep("pselect6", 750_000_000, ret=1, args="9", path=LOOP + ["handle", "run_script", "libc:select"])
        loop.call("read", 5_000, ret=20, args="8", path=LOOP + ["handle", "run_script"])
    loop.call("sendmsg", 10_000, ret=64, args="4", path=LOOP + ["handle", "reply", "libc:sendmsg"])
loop.stuck("pselect6", args="5")
trace.print()
