# SPDX-License-Identifier: GPL-2.0-only
"""A server that opens a connection to one of two backends for each request, and closes it again; the second backend now and then takes
long. All these connections have one descriptor after the other.
Answer: outside the program: the peer 10.0.0.6:5432, though no connection to it was open as the capture began.
Waits."""
from loop import serve_by_loop
from synth import Trace

trace = Trace(seconds=8, seed=7)


def address(last):
    """Of 10.0.0.LAST, as PEER records have it."""
    return 0xffff << 32 | 10 << 24 | last


def handle(loop):
    second = trace.random.random() < 0.5
    slow = second and trace.random.random() < 0.06
    path = ["main", "event_loop", "handle", "ask_backend"]
    loop.run(trace.random.randint(80_000, 120_000), ["main", "event_loop", "handle", "parse"])
    loop.call("socket", 2_000, ret=9, args="2", path=path + ["libc:socket"])
    loop.call("connect", 20_000, args="9", path=path + ["libc:connect"])
    trace.add(loop.now, loop.cpu, f"peer {loop.tid} 9 own_port=40000 peer_port=5432 own0=0 own1={address(1)} peer0=0 "
              f"peer1={address(6 if second else 5)}")
    loop.sleep("recvfrom", trace.random.randint(150_000, 250_000) * (100 if slow else 1), ret=64, args="9",
               path=path + ["libc:recv"])
    loop.call("close", 5_000, args="9", path=path + ["libc:close"])


serve_by_loop(trace, handle, last_ns=60_000_000)
