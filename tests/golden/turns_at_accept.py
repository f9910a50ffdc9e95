# SPDX-License-Identifier: GPL-2.0-only
"""Four processes take turns at waiting for clients by a lock of the kernel's (flock), and serve one request of each. For most of
the time all but one of them wait for their turn, after several others. 1 request in 20 signs its page for long.
Two more have slept for their turn since before the window.
Answer: sign_page, by time; no request lasts while its process waits for its turn, and none of them hangs."""
from synth import Thread, Trace

trace = Trace(seconds=8, seed=53)
for tgid in range(100, 104):
    trace.fd(3, "listen", tgid=tgid)
    trace.fd(4, "file", tgid=tgid)
processes = [Thread(trace, 100 + i, "server", i, tgid=100 + i) for i in range(4)]
SERVE = ["main", "serve_clients"]
spare = [Thread(trace, 104 + i, "server", 4 + i, tgid=104 + i) for i in range(2)]
free_ns, holder = 0, None
for process in spare:
    process.state("sleeping", call="flock", since=0, args="4", path=SERVE + ["libc:flock"])
for process in processes:
    process.state("runnable", flags=" on_cpu")
    process.begin()
while free_ns < trace.end_ns - 100_000_000:
    process = min(processes, key=lambda one: one.now)
    if holder and process.now < free_ns - 3_000:
        process.sleep("flock", free_ns - process.now - 1_000, args="4", path=SERVE + ["libc:flock"], waker=holder)
    else:
        process.call("flock", 2_000, args="4", path=SERVE)
    process.sleep("accept4", trace.random.randint(2_000_000, 9_000_000), ret=7, args="3", path=SERVE + ["libc:accept4"])
    process.call("flock", 3_000, args="4", path=SERVE)
    free_ns, holder = process.now, process
    process.call("read", 4_000, ret=80, args="7", path=SERVE + ["read_request"])
    process.run(trace.random.randint(90_000, 130_000), SERVE + ["make_page"])
    if trace.random.random() < 0.05:
        process.run(trace.random.randint(3_000_000, 5_000_000), SERVE + ["sign_page"])
    process.call("write", 9_000, ret=512, args="7", path=SERVE + ["send_page"])
    process.call("close", 3_000, args="7", path=SERVE)
for process in processes:
    process.stuck("accept4" if process is holder else "flock", args="3" if process is holder else "4")
for process in spare:
    process.state("sleeping", call="flock", since=0, args="4", path=SERVE + ["libc:flock"], at_stop=True)
trace.print()
