# SPDX-License-Identifier: GPL-2.0-only
"""A program of little more than a loop, which calls a library in a folder of the system's that has another name. 1 request in 25 takes
1 ms longer in one function of that library. The program's own function has all of the time, of slow requests and of others.
Answer: libwork.so.1+0x310. Most stacks have a function of the program, but are in the library: it counts as the program's."""
from synth import Thread, Trace

LIBRARY = 0x7f0000001000
trace = Trace(seconds=6, seed=74)
trace.map(0x400000, 0x401000, "/usr/sbin/server", "5e12e12e12e1")
trace.functions["start_loop"] = 0x400100
trace.map(LIBRARY, LIBRARY + 0x1000, "/usr/lib/x86_64-linux-gnu/libwork.so.1", "5e12e12e12e2")
for number, name in enumerate(["take_turn", "parse", "look_up", "walk_list", "answer"]):
    trace.functions[name] = LIBRARY + 0x10 + 0x100 * number
trace.fd(5, "epoll")
trace.fd(7, "accepted")
LOOP = ["start_loop", "take_turn"]
loop = Thread(trace, 100, "server", 0)
loop.state("runnable", flags=" on_cpu")
loop.begin()
while loop.now < trace.end_ns - 60_000_000:
    loop.sleep("epoll_wait", trace.random.randint(500_000, 1_500_000), ret=1, args="5", path=LOOP + ["libc:epoll_wait"])
    loop.call("read", 5_000, ret=64, args="7", path=LOOP + ["libc:read"])
    loop.run(trace.random.randint(150_000, 250_000), LOOP + ["parse"])
    if trace.random.random() < 0.04:
        loop.run(trace.random.randint(2_700_000, 3_900_000), LOOP + ["look_up", "walk_list"])
    loop.call("write", 8_000, ret=500, args="7", path=LOOP + ["answer", "libc:write"])
trace.print()
