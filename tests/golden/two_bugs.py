# SPDX-License-Identifier: GPL-2.0-only
"""Two independent bugs: one request of 40 computes too long, another of 60 syncs a file.
Answer: both in the first two places, the larger excess first (flush_log)."""
from loop import serve_by_loop
from synth import Trace

trace = Trace(seconds=6, seed=3)
trace.fd(9, "file")


def handle(loop):
    loop.run(trace.random.randint(80_000, 120_000), ["main", "event_loop", "handle", "parse"])
    if trace.random.random() < 1 / 40:
        loop.run(trace.random.randint(3_000_000, 4_000_000),
                 ["main", "event_loop", "handle", "find_item"])
    elif trace.random.random() < 1 / 60:
        loop.sleep("fsync", trace.random.randint(8_000_000, 12_000_000), args="9",
                   path=["main", "event_loop", "handle", "flush_log", "libc:fsync"])


serve_by_loop(trace, handle, last_ns=40_000_000)
