# SPDX-License-Identifier: GPL-2.0-only
"""1 request in 25 asks for a list: its answer has forty times the bytes of others, and it takes twelve times as long, in
render. Answer: nothing abnormal. The list takes no longer than in proportion, so one trace does not show that it is slow."""
from synth import Thread, Trace

trace = Trace(seconds=6, seed=77)
trace.fd(5, "epoll")
trace.fd(7, "accepted")
LOOP = ["main", "take_turn"]
loop = Thread(trace, 100, "server", 0)
loop.state("runnable", flags=" on_cpu")
loop.begin()
while loop.now < trace.end_ns - 60_000_000:
    is_list = trace.random.random() < 0.04
    loop.sleep("epoll_wait", trace.random.randint(500_000, 1_500_000), ret=1, args="5", path=LOOP + ["libc:epoll_wait"])
    loop.call("read", 5_000, ret=64, args="7", path=LOOP + ["libc:read"])
    loop.run(trace.random.randint(180_000, 220_000), LOOP + ["parse"])
    loop.run(trace.random.randint(15_000, 25_000) * (120 if is_list else 1), LOOP + ["render"])
    loop.call("write", 8_000, ret=22_000 if is_list else 500, args="7", path=LOOP + ["answer", "libc:write"])
trace.print()
