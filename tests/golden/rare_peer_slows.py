# SPDX-License-Identifier: GPL-2.0-only
"""The server of rare_peer.py, whose backend takes forty times as long for the last fifth of the time.
Answer: outside the program: the peer; requests of its kind are not alike."""
from loop import serve_by_loop
from synth import Trace

trace = Trace(seconds=6, seed=36)
trace.fd(9, "connected")


def handle(loop):
    loop.run(trace.random.randint(40_000, 60_000), ["main", "event_loop", "handle", "parse"])
    if trace.random.random() < 0.05:
        times = 40 if loop.now > 4_800_000_000 else 1
        loop.sleep("recvfrom", trace.random.randint(200_000, 300_000) * times, ret=64, args="9",
                   path=["main", "event_loop", "handle", "ask_backend", "libc:recv"])


serve_by_loop(trace, handle)
