# SPDX-License-Identifier: GPL-2.0-only
"""An event loop with two functions, whose times are given, ± 10 %."""
from loop import serve_by_loop
from synth import Trace


def serve(parse, render, seed=1):
    trace = Trace(seconds=4, seed=seed)

    def handle(loop):
        for ns, name in ((parse, "parse_body"), (render, "render_page")):
            loop.run(trace.random.randint(int(0.9 * ns), int(1.1 * ns)), ["main", "event_loop", "handle", name])

    serve_by_loop(trace, handle)
