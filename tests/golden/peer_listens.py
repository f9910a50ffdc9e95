# SPDX-License-Identifier: GPL-2.0-only
"""A server that opens a connection to one of two databases of its own host for each request; the second now and then takes long.
Answer: outside the program: postgres, which listens at 127.0.0.1:5432, though no connection to it was open as the capture began. The other,
at 10.0.0.1:3306, listens at all addresses, and is known because that address is also the server's own.
Waits."""
from loop import serve_by_loop
from synth import Trace

trace = Trace(seconds=8, seed=7)
trace.meta("listener.0.127.0.0.1:5432", "700 postgres")
trace.meta("listener.0.[::]:3306", "800 mariadbd")
trace.meta("listener.0.0.0.0.0:22", "600 sshd")


OF_HOST = 0xffff << 32 | 10 << 24 | 1  # 10.0.0.1, as PEER records have it
LOOPBACK = 0xffff << 32 | 127 << 24 | 1


def handle(loop):
    second = trace.random.random() < 0.5
    slow = second and trace.random.random() < 0.06
    path = ["main", "event_loop", "handle", "ask_backend"]
    loop.run(trace.random.randint(80_000, 120_000), ["main", "event_loop", "handle", "parse"])
    loop.call("socket", 2_000, ret=9, args="2", path=path + ["libc:socket"])
    loop.call("connect", 20_000, args="9", path=path + ["libc:connect"])
    address, port = (LOOPBACK, 5432) if second else (OF_HOST, 3306)
    trace.add(loop.now, loop.cpu, f"peer {loop.tid} 9 own_port=40000 peer_port={port} own0=0 own1={address} peer0=0 peer1={address}")
    loop.sleep("recvfrom", trace.random.randint(150_000, 250_000) * (100 if slow else 1), ret=64, args="9",
               path=path + ["libc:recv"])
    loop.call("close", 5_000, args="9", path=path + ["libc:close"])


serve_by_loop(trace, handle, last_ns=60_000_000)
