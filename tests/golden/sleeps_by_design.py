# SPDX-License-Identifier: GPL-2.0-only
"""A server with a thread for each connection, of which 4 of 100 requests ask it to sleep for 20 ms, as a client of
a database may.
Answer: sleep_command. Nothing shows whether a client asked for that, so the confidence is medium."""
from synth import Thread, Trace

trace = Trace(seconds=5, seed=37)
trace.fd(7, "accepted")
loop = Thread(trace, 100, "server", 0)
loop.state("runnable", flags=" on_cpu")
loop.begin()
SERVE = ["start_thread", "serve"]
while loop.now < trace.end_ns - 60_000_000:
    loop.sleep("read", trace.random.randint(200_000, 800_000), ret=64, args="7", path=SERVE + ["libc:read"])
    loop.run(trace.random.randint(80_000, 120_000), SERVE + ["handle", "parse"])
    if trace.random.random() < 0.04:
        loop.sleep("clock_nanosleep", 20_000_000, path=SERVE + ["handle", "sleep_command", "libc:nanosleep"])
    loop.call("write", 10_000, ret=64, args="7", path=SERVE + ["handle", "reply", "libc:write"])
loop.stuck("read", args="7")
trace.print()
