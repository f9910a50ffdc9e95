# SPDX-License-Identifier: GPL-2.0-only
"""A server of one thread that serves one client after the other. Its client keeps the connection, and asks for something each 50 ms;
others wait to be accepted."""
from synth import Thread, Trace


def serve(waiting_ns, seconds=6):
    """waiting_ns: for how long connections have waited as the window ends."""
    trace = Trace(seconds=seconds, seed=17)
    trace.fd(3, "listen", name="socket:[55]")
    trace.fd(4, "accepted")
    last = trace.end_ns - 10_000_000
    for row, time in enumerate(range(last - waiting_ns, last + 1, 1_000_000_000)):
        trace.meta(f"backlog.{row}", f"{time} {last - waiting_ns} 55 6 5")
    server = Thread(trace, 100, "server", 0)
    server.state("runnable", flags=" on_cpu")
    server.begin()
    while server.now < trace.end_ns - 60_000_000:
        server.sleep("recvfrom", trace.random.randint(45_000_000, 55_000_000), ret=64, args="4",
                     path=["main", "serve_client", "libc:recv"])
        server.run(trace.random.randint(150_000, 250_000), ["main", "serve_client", "handle"])
        server.call("sendto", 9_000, ret=200, args="4", path=["main", "serve_client", "libc:send"])
    since = server.now
    server.stuck("recvfrom", args="4")
    server.state("sleeping", call="recvfrom", since=since, args="4", path=["main", "serve_client", "libc:recv"], at_stop=True)
    trace.print()
