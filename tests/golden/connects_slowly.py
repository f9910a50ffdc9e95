# SPDX-License-Identifier: GPL-2.0-only
"""A server that opens a connection to one of two backends for each request, and closes it again; the second backend now and then takes
long until it accepts the connection, never to answer.
Answer: outside the program: the peer 10.0.0.6:5432, for which a call waits that has no connection yet.
Waits."""
from loop import serve_by_loop
from synth import Trace

trace = Trace(seconds=8, seed=8)


def peer(loop, last, own):
    """Of 10.0.0.LAST, as PEER records have it; own: its own end is known."""
    def address(part):
        return 0xffff << 32 | 10 << 24 | part
    return (f"peer {loop.tid} 9 own_port={40000 if own else 0} peer_port=5432 own0=0 own1={address(1) if own else 0} peer0=0 "
            f"peer1={address(last)}")


def handle(loop):
    last = 6 if trace.random.random() < 0.5 else 5
    slow = last == 6 and trace.random.random() < 0.06
    path = ["main", "event_loop", "handle", "ask_backend"]
    loop.run(trace.random.randint(80_000, 120_000), ["main", "event_loop", "handle", "parse"])
    loop.call("socket", 2_000, ret=9, args="2", path=path + ["libc:socket"])
    loop.sleep("connect", trace.random.randint(150_000, 250_000) * (100 if slow else 1), args="9", path=path + ["libc:connect"],
               begins=peer(loop, last, False))
    trace.add(loop.now, loop.cpu, peer(loop, last, True))
    loop.sleep("recvfrom", trace.random.randint(150_000, 250_000), ret=64, args="9", path=path + ["libc:recv"])
    loop.call("close", 5_000, args="9", path=path + ["libc:close"])


serve_by_loop(trace, handle, last_ns=60_000_000)
