# SPDX-License-Identifier: GPL-2.0-only
"""An interpreter whose eval_node calls itself by call_function, many levels deep in 3 requests of 100, and looks
names up there. The first stack that is seen of it happens to be in a lock's code; nearly all others are in memcmp.
Stacks are cut short before they reach the start of the thread.
Answer: find_name, by memcmp; the path shows the circle, and that it is cut."""
from loop import serve_by_loop
from synth import Trace

trace = Trace(seconds=4, seed=36)
DEEP = ["eval_node", "call_function"] * 6 + ["eval_node", "find_name"]
seen = []


def handle(loop):
    loop.run(trace.random.randint(80_000, 120_000), ["main", "event_loop", "handle", "parse"])
    if trace.random.random() < 0.03:
        if not seen:
            loop.run(2_000_000, DEEP + ["libc:pthread_mutex_lock"])
        seen.append(loop.now)
        loop.run(trace.random.randint(3_000_000, 5_000_000), DEEP + ["libc:memcmp"])


def cut(line):
    """The stacks that hold eval_node say so."""
    time, order, text = line
    inside = f"{trace.functions['eval_node']:#x}" in text if " sample " in text else False
    return time, order, text + " cut" if inside else text


show = trace.print
trace.print = lambda: (setattr(trace, "lines", [cut(line) for line in trace.lines]), show())
serve_by_loop(trace, handle)
