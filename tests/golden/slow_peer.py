# SPDX-License-Identifier: GPL-2.0-only
"""A server that asks a backend in every request, and the backend now and then takes long.
Answer: outside the program: the peer, a process of the same host; ask_backend waits for it."""
from loop import serve_by_loop
from synth import Trace

trace = Trace(seconds=8, seed=7)
trace.fd(9, "connected", name="socket:[4711] to 127.0.0.1:6379 (pid 512 redis-server)")


def handle(loop):
    loop.run(trace.random.randint(80_000, 120_000), ["main", "event_loop", "handle", "parse"])
    slow = trace.random.random() < 0.03
    loop.sleep("recvfrom", trace.random.randint(150_000, 250_000) * (100 if slow else 1), ret=64, args="9",
               path=["main", "event_loop", "handle", "ask_backend", "libc:recv"])


serve_by_loop(trace, handle, last_ns=60_000_000)
