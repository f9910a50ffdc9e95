# SPDX-License-Identifier: GPL-2.0-only
"""An event loop that walks a chain far too long now and then, but not in the first second, in which many events
were lost on another CPU.
Answer: find_item, by time, with high confidence: nothing was lost while it showed."""
from loop import serve_by_loop
from synth import Trace

SECOND = 1_000_000_000
trace = Trace(seconds=4)


def handle(loop):
    loop.run(trace.random.randint(80_000, 120_000), ["main", "event_loop", "handle", "parse"])
    if loop.now > SECOND and trace.random.random() < 0.03:
        loop.run(trace.random.randint(3_000_000, 5_000_000),
                 ["main", "event_loop", "handle", "find_item"])


for number in range(1, 101):
    trace.add(number * SECOND // 100, 1, "lost 20")
serve_by_loop(trace, handle)
