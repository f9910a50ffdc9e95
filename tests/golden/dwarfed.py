# SPDX-License-Identifier: GPL-2.0-only
"""An event loop with four bugs: one takes nine tenths of the busy time, the others less than a hundredth each.
Answer: all four; the three would be a third of what is left, if the first were fixed."""
from loop import serve_by_loop
from synth import Trace

HANDLE = ["main", "event_loop", "handle"]
trace = Trace(seconds=8, seed=38)


def handle(loop):
    loop.run(trace.random.randint(40_000, 60_000), HANDLE + ["parse"])
    dice = trace.random.random()
    if dice < 0.03:
        loop.sleep("nanosleep", trace.random.randint(20_000_000, 24_000_000),
                   path=HANDLE + ["wait_for_quiet", "libc:nanosleep"])
    elif dice < 0.09:
        loop.run(trace.random.randint(250_000, 350_000),
                 HANDLE + [trace.random.choice(["render", "compress", "encrypt"])])


serve_by_loop(trace, handle, idle_ns=(200_000, 400_000), last_ns=60_000_000)
