# SPDX-License-Identifier: GPL-2.0-only
"""An event loop in Java, by the names that HotSpot gives its code; 4 requests of 100 sync a file.
Answer: Ledger.append, which calls the method of the JDK that sleeps: that one is a library."""
from loop import serve_by_loop
from synth import Trace

LOOP = r"void\x20org.example.Server.run()"
APPEND = r"void\x20org.example.Ledger.append(java.lang.String)"
SELL = r"int\x20org.example.Shop.sell()"
SYNC = r"void\x20java.io.FileDescriptor.sync()"
trace = Trace(seconds=6, seed=29)


def handle(loop):
    loop.run(trace.random.randint(80_000, 120_000), ["Interpreter", LOOP, SELL])
    if trace.random.random() < 0.04:
        loop.sleep("fdatasync", trace.random.randint(3_000_000, 5_000_000), args="9",
                   path=["Interpreter", LOOP, APPEND, SYNC])


trace.fd(9, "file")
serve_by_loop(trace, handle)
