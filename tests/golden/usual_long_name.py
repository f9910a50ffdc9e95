# SPDX-License-Identifier: GPL-2.0-only
"""A healthy server whose function has a name of more columns than a line has room for.
Answer: nothing; the usual time is in that function, without its first packages."""
from loop import serve_by_loop
from synth import Trace

NAME = "org.example.application.transport.protocol.headers.reading.StreamReader.readHeaderLine"
trace = Trace(seconds=3, seed=12)


def handle(loop):
    loop.run(trace.random.randint(80_000, 120_000), ["main", "event_loop", "handle", NAME])


trace.file(1, 0x400000, "/usr/bin/server", ["main", "event_loop", "handle", NAME])
serve_by_loop(trace, handle)
