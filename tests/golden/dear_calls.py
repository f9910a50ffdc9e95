# SPDX-License-Identifier: GPL-2.0-only
"""An event loop; 4 requests of 100 ask for far too many parts of a page. make_parts works them out, and
write_part looks each up by a call that is quick, but that perf takes ten times as long to record.
Answer: make_parts. What the tracer takes is no time of write_part's, in which most samples are."""
from loop import serve_by_loop
from synth import Trace

MAKE = ["main", "event_loop", "handle", "make_parts"]
trace = Trace(seconds=6, seed=27)


def handle(loop):
    loop.run(trace.random.randint(80_000, 120_000), ["main", "event_loop", "handle", "parse"])
    if trace.random.random() < 0.04:
        for _ in range(20):
            seek = MAKE + ["write_part", "libc:lseek"]
            loop.run(trace.random.randint(15_000, 25_000), MAKE)
            loop.run(trace.random.randint(15_000, 25_000), seek, kernel="vfs_llseek")
            loop.run(trace.random.randint(150_000, 250_000), seek, kernel="perf_swevent_event")
            loop.call("lseek", 2_000, args="7", path=seek)


serve_by_loop(trace, handle)
