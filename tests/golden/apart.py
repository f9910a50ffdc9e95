# SPDX-License-Identifier: GPL-2.0-only
"""An event loop; 6 requests of 100 ask for an export, of which one half renders far too long, the other
compresses far too long.
Answer: render and compress, not the export that calls both: no request has both."""
from loop import serve_by_loop
from synth import Trace

trace = Trace(seconds=6, seed=26)


def handle(loop):
    loop.run(trace.random.randint(80_000, 120_000), ["main", "event_loop", "handle", "parse"])
    if trace.random.random() < 0.06:
        loop.run(trace.random.randint(3_000_000, 5_000_000), [
            "main", "event_loop", "handle", "export",
            "render" if trace.random.random() < 0.5 else "compress"])


serve_by_loop(trace, handle)
