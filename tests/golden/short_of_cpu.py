# SPDX-License-Identifier: GPL-2.0-only
"""An event loop that waits for a CPU in six of ten requests."""
from loop import serve_by_loop


def serve(trace, taker=lambda: 0):
    """taker(): the tid of the thread that has the CPU in such a wait; 0: it is not known."""
    def handle(loop):
        loop.run(trace.random.randint(40_000, 60_000), ["main", "event_loop", "handle", "parse"])
        if trace.random.random() < 0.6:
            loop.wait_for_cpu(trace.random.randint(1_000_000, 4_000_000), other=taker())
        loop.run(trace.random.randint(40_000, 60_000), ["main", "event_loop", "handle", "render"])

    serve_by_loop(trace, handle, last_ns=60_000_000)
