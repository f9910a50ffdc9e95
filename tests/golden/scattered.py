# SPDX-License-Identifier: GPL-2.0-only
"""An event loop; for 5 requests of 100 a file of settings is read again, line by line: three functions
below load_settings share the time, in each of these requests.
Answer: load_settings, once; what it calls is one cause."""
from loop import serve_by_loop
from synth import Trace

trace = Trace(seconds=6, seed=25)


def handle(loop):
    loop.run(trace.random.randint(80_000, 120_000), ["main", "event_loop", "handle", "parse"])
    if trace.random.random() < 0.05:
        for step in ("read_line", "split_line", "apply_line") * 2:
            loop.run(trace.random.randint(500_000, 900_000),
                     ["main", "event_loop", "handle", "load_settings", step])


serve_by_loop(trace, handle)
