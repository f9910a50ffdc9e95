# SPDX-License-Identifier: GPL-2.0-only
"""An event loop that walks a chain far too long now and then, in the second in the middle of the window alone,
while events were lost on another CPU: few of all, but many of those in that second.
Answer: find_item, by time, with low confidence."""
from loop import serve_by_loop
from synth import Trace

SECOND = 1_000_000_000
trace = Trace(seconds=10)
begin = 4 * SECOND + SECOND // 2


def handle(loop):
    loop.run(trace.random.randint(80_000, 120_000), ["main", "event_loop", "handle", "parse"])
    if begin < loop.now < begin + SECOND and trace.random.random() < 0.2:
        loop.run(trace.random.randint(3_000_000, 5_000_000),
                 ["main", "event_loop", "handle", "find_item"])


for number in range(1, 101):
    trace.add(begin + number * SECOND // 100, 1, "lost 6")
serve_by_loop(trace, handle)
