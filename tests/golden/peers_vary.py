# SPDX-License-Identifier: GPL-2.0-only
"""Every request asks a backend, which takes 1 to 9 ms; 1 in 20 is matched with all filters, which takes 6 ms.
Answer: match_filters, by time. By their whole time its requests hardly stand out; by their running time they do."""
from synth import Thread, Trace

trace = Trace(seconds=8, seed=42)
trace.fd(9, "connected")
PATH = ["start_worker", "serve"]
for number in range(6):
    fd = str(100 + number)
    trace.fd(fd, "accepted")
    thread = Thread(trace, 100 + number, "worker", number)
    thread.state("runnable", flags=" on_cpu")
    thread.begin()
    while thread.now < trace.end_ns - 60_000_000:
        thread.sleep("read", trace.random.randint(2_000_000, 6_000_000), ret=64, args=fd,
                     path=PATH + ["read_request", "libc:read"])
        thread.run(trace.random.randint(80_000, 120_000), PATH + ["parse"])
        if trace.random.random() < 0.05:
            thread.run(trace.random.randint(5_500_000, 6_500_000), PATH + ["match_filters"])
        thread.call("sendto", 9_000, ret=64, args="9", path=PATH + ["ask_backend"])
        thread.sleep("recvfrom", trace.random.randint(1_000_000, 9_000_000), ret=64, args="9",
                     path=PATH + ["ask_backend", "libc:recv"])
        thread.call("write", 8_000, ret=64, args=fd, path=PATH + ["answer"])
trace.print()
