# SPDX-License-Identifier: GPL-2.0-only
"""Processes take turns at serving clients by the lock of a file, which one has while it waits for a client and serves it. As the window ends that one is at
work. Two others have slept for their turn since before the window. Their parent, which began in another function, waits in a select.
Answer: nothing abnormal. Who is at work began where those that wait for the lock did."""
from synth import Thread, Trace

SERVE = ["child_main", "serve_clients"]
trace = Trace(seconds=4, seed=97)
for tgid in (100, 101, 102, 103):
    trace.fd(3, "listen", tgid=tgid)
    trace.fd(4, "file", tgid=tgid)
parent = Thread(trace, 100, "server", 0)
leader = Thread(trace, 101, "server", 1, tgid=101)
spare = [Thread(trace, 102 + i, "server", 2 + i, tgid=102 + i) for i in range(2)]
for process in spare:
    process.state("sleeping", call="flock", since=0, args="4", path=SERVE + ["libc:flock"])
parent.state("sleeping", call="select", since=0, args="4,0x7ffc1000", path=["main", "watch_children", "libc:select"])
leader.state("runnable", flags=" on_cpu")
leader.begin()
while leader.now < trace.end_ns - 60_000_000:
    leader.call("flock", 2_000, args="4", path=SERVE)
    leader.sleep("accept4", trace.random.randint(2_000_000, 9_000_000), ret=7, args="3", path=SERVE + ["libc:accept4"])
    leader.call("read", 4_000, ret=80, args="7", path=SERVE + ["read_request"])
    leader.run(trace.random.randint(90_000, 130_000), SERVE + ["make_page"])
    leader.call("write", 9_000, ret=512, args="7", path=SERVE + ["send_page"])
    leader.call("close", 3_000, args="7", path=SERVE)
    leader.call("flock", 3_000, args="4", path=SERVE)
leader.run(trace.end_ns - leader.now, SERVE + ["make_page"])
for process in spare:
    process.state("sleeping", call="flock", since=0, args="4", path=SERVE + ["libc:flock"], at_stop=True)
parent.state("sleeping", call="select", since=0, args="4,0x7ffc1000", path=["main", "watch_children", "libc:select"],
             at_stop=True)
trace.print()
