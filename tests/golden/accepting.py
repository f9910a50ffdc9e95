# SPDX-License-Identifier: GPL-2.0-only
"""Four processes that each accept a connection, answer it and close it."""
from synth import Thread, Trace


def serve_by_processes(seed, rarely):
    """rarely(process): what is done besides in 4 of 100 requests."""
    trace = Trace(seconds=6, seed=seed)
    for i in range(4):
        trace.fd(4, "listen", tgid=100 + i)
    processes = [Thread(trace, 100 + i, "server", i, tgid=100 + i) for i in range(4)]
    for process in processes:
        process.state("runnable", flags=" on_cpu")
        process.begin()
        while process.now < trace.end_ns - 60_000_000:
            process.sleep("accept4", trace.random.randint(500_000, 1_500_000), ret=8, args="4",
                          path=["main", "child_main", "libc:accept4"])
            process.call("read", 5_000, ret=128, args="8", path=["main", "child_main", "read_request"])
            process.run(trace.random.randint(150_000, 250_000), ["main", "child_main", "handle", "parse"])
            if trace.random.random() < 0.04:
                rarely(process)
            process.call("write", 10_000, ret=512, args="8", path=["main", "child_main", "answer"])
            process.call("close", 3_000, args="8", path=["main", "child_main"])
        process.stuck("accept4", args="4")
    trace.print()
