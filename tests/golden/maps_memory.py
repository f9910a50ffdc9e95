# SPDX-License-Identifier: GPL-2.0-only
"""A loop answers requests; 1 in 25 maps 24 MB, touches each page and unmaps it again, which takes 4 to 6 ms in page faults. The kernel also takes
longer now and then for what all requests do: 1 in 30 writes for 0.4 ms.
Answer: fill_buffer, by time, although all of it is inside the kernel: nobody else asked for these pages."""
from synth import Thread, Trace

trace = Trace(seconds=6, seed=101)
trace.fd(3, "epoll")
for fd in range(10, 18):
    trace.fd(fd, "accepted")
loop = Thread(trace, 100, "server", 0)
LOOP = ["main", "serve"]
loop.state("runnable", flags=" on_cpu")
loop.begin()
while loop.now < trace.end_ns - 100_000_000:
    fd = trace.random.randint(10, 17)
    loop.sleep("epoll_wait", trace.random.randint(1_000_000, 4_000_000), ret=1, args="3", path=LOOP + ["libc:epoll_wait"])
    loop.call("recvfrom", 4_000, ret=60, args=f"{fd}", path=LOOP)
    loop.run(trace.random.randint(90_000, 130_000), LOOP + ["parse"])
    if trace.random.random() < 0.04:
        loop.call("mmap", 9_000, ret=0x7F0000000000, args="0,0x1800000", path=LOOP + ["fill_buffer"])
        loop.run(trace.random.randint(4_000_000, 6_000_000), LOOP + ["fill_buffer"], kernel="clear_page")
        loop.call("munmap", 400_000, args="0x7f0000000000,0x1800000", path=LOOP + ["fill_buffer"])
    loop.run(400_000 if trace.random.random() < 0.03 else 12_000, LOOP + ["answer"], kernel="tcp_sendmsg")
    loop.call("sendto", 2_000, ret=51, args=f"{fd}", path=LOOP + ["answer"])
trace.print()
