# SPDX-License-Identifier: GPL-2.0-only
"""A program of which half is in a library in a folder of the system's, which has another name and was built from the same source package, as
libdns of named. 1 request in 25 takes 1 ms longer in one function of that library, called by a function of the program that all requests
need. Another library, of another package, is called by the library.
Answer: walk_list in libwork.so.1, since the library is the program's; not step_on of libother.so.1, which is not."""
from synth import Thread, Trace

PROGRAM, LIBRARY, OTHER = 0x400000, 0x7f0000001000, 0x7f0000100000
trace = Trace(seconds=6, seed=75)
trace.file(1, PROGRAM, "/usr/sbin/server", ["start_loop", "take_turn", "parse", "answer"], package=True)
trace.file(2, LIBRARY, "/usr/lib/x86_64-linux-gnu/libwork.so.1", ["look_up", "walk_list"], package=True)
trace.file(3, OTHER, "/usr/lib/x86_64-linux-gnu/libother.so.1", ["step_on"])
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
    loop.run(trace.random.randint(100_000, 150_000), LOOP + ["parse", "look_up"])
    if trace.random.random() < 0.04:
        loop.run(trace.random.randint(1_350_000, 1_950_000), LOOP + ["parse", "look_up", "walk_list"])
        loop.run(trace.random.randint(1_350_000, 1_950_000), LOOP + ["parse", "look_up", "walk_list", "step_on"])
    loop.call("write", 8_000, ret=500, args="7", path=LOOP + ["answer", "libc:write"])
trace.print()
