# SPDX-License-Identifier: GPL-2.0-only
"""A server whose handlers call one helper, find_item, which has most of the time of every request."""
from loop import serve_by_loop
from synth import Trace

HANDLE = ["main", "event_loop", "handle"]


def look_up(loop, handler, times, own_ns, item_ns):
    """handler looks items up, with a little work of its own between."""
    for _ in range(times):
        loop.run(own_ns, HANDLE + [handler])
        loop.run(item_ns(), HANDLE + [handler, "find_item", "compare_keys"])


def serve(seed, slow):
    """slow(loop): what 3 requests of 100 do beside."""
    trace = Trace(seconds=6, seed=seed)

    def handle(loop):
        loop.run(trace.random.randint(40_000, 60_000), HANDLE + ["parse"])
        handler = trace.random.choice(["get_item", "set_item", "list_items"])
        look_up(loop, handler, 2, 4_000, lambda: trace.random.randint(60_000, 90_000))
        if trace.random.random() < 0.03:
            slow(loop, trace)

    serve_by_loop(trace, handle)
