# SPDX-License-Identifier: GPL-2.0-only
"""Four processes that each accept a connection, answer it and close it; in 4 of 100 the client's name
is asked for at a resolver that is gone, with a poll of 5 ms for its answer.
Answer: resolve_client, whose poll stands in the middle of a request and is no wait for work."""
from synth import Thread, Trace

trace = Trace(seconds=6, seed=14)
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
            process.call("socket", 4_000, ret=9, args="2,2,0",
                         path=["main", "child_main", "handle", "resolve_client", "libc:socket"])
            process.call("sendto", 6_000, ret=32, args="9",
                         path=["main", "child_main", "handle", "resolve_client", "libc:sendto"])
            process.sleep("poll", 5_000_000, ret=0, args="0x7ffc0010,1,5",
                          path=["main", "child_main", "handle", "resolve_client", "libc:poll"])
            process.call("close", 3_000, args="9",
                         path=["main", "child_main", "handle", "resolve_client"])
        process.call("write", 10_000, ret=512, args="8", path=["main", "child_main", "answer"])
        process.call("close", 3_000, args="8", path=["main", "child_main"])
    process.stuck("accept4", args="4")
trace.print()
