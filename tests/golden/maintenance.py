# SPDX-License-Identifier: GPL-2.0-only
"""Threads that all have the program's name: three serve clients in 0.1 ms, a fourth makes an index
every 50 ms, for 8 ms.
Answer: nothing; threads that do maintenance now and then are not compared with those that serve."""
from synth import Thread, Trace

trace = Trace(seconds=4, seed=21)
servers = [Thread(trace, 100 + i, "server", i) for i in range(3)]
keeper = Thread(trace, 103, "server", 3)
for thread in servers + [keeper]:
    thread.state("runnable", flags=" on_cpu")
    thread.begin()
for number, thread in enumerate(servers):
    trace.fd(7 + number, "accepted")
    while thread.now < trace.end_ns - 20_000_000:
        thread.sleep("recvfrom", trace.random.randint(600_000, 1_800_000), ret=64,
                     args=f"{7 + number}", path=["work", "read_request"])
        thread.run(trace.random.randint(80_000, 120_000), ["work", "serve"])
        thread.call("sendto", 10_000, ret=64, args=f"{7 + number}", path=["work", "reply"])
    thread.stuck("recvfrom", args=f"{7 + number}")
while keeper.now < trace.end_ns - 80_000_000:
    keeper.sleep("nanosleep", 50_000_000, path=["keep_index", "pause"])
    keeper.run(trace.random.randint(7_500_000, 8_500_000), ["keep_index", "make_index"])
keeper.stuck("nanosleep")
trace.print()
