# SPDX-License-Identifier: GPL-2.0-only
"""An event loop; 1 request of 100 meets a page that has to be loaded, in three steps, each of which a
few samples hit, of different requests.
Answer: load_page, with low confidence; 0.2 ms more in a kind of its own is no slowdown. The few requests that have a sample do not show whether the same ones run
in all steps. Each step has too few samples by itself; the caller is what they have in common."""
from loop import serve_by_loop
from synth import Trace

trace = Trace(seconds=3, seed=29)


def handle(loop):
    loop.run(trace.random.randint(80_000, 120_000), ["main", "event_loop", "handle", "parse"])
    if trace.random.random() < 0.01:
        for step in ("read_page", "render_page", "store_page"):
            loop.run(trace.random.randint(60_000, 90_000),
                     ["main", "event_loop", "handle", "load_page", step])


serve_by_loop(trace, handle)
