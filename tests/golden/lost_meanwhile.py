# SPDX-License-Identifier: GPL-2.0-only
"""An event loop that walks a chain far too long now and then, in the three seconds in the middle of the window alone,
while events were lost on another CPU: few of all, but many of those in that time.
Answer: find_item, by time, with low confidence."""
from loop import serve_by_loop
from synth import Trace

SECOND = 1_000_000_000
trace = Trace(seconds=10)
begin = 3 * SECOND + SECOND // 2


def handle(loop):
    loop.run(trace.random.randint(80_000, 120_000), ["main", "event_loop", "handle", "parse"])
    if begin < loop.now < begin + 3 * SECOND and trace.random.random() < 0.07:
        loop.run(trace.random.randint(3_000_000, 5_000_000),
                 ["main", "event_loop", "handle", "find_item"])


for number in range(1, 101):
    trace.add(begin + number * 3 * SECOND // 100, 1, "lost 24")
serve_by_loop(trace, handle)
