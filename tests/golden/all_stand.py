# SPDX-License-Identifier: GPL-2.0-only
"""A server in which no thread does anything: three wait on a condition variable since a minute before the window, and one for clients."""
from synth import Thread, Trace

START = 70_000_000_000
ROWS = [("main", "accept", "3,0,0,0,0,0", ["main", "libc:accept"])]
ROWS += [("worker", "futex", "0x7e00,0x189,0,0,0,0",
          ["start_worker", "serve", "take_handle", "libc:pthread_cond_wait"])] * 3


def all_stand(seconds, seed):
    trace = Trace(seconds=seconds, seed=seed)
    trace.begin_at(START)
    for at_stop in (False, True):
        for number, (name, call, args, path) in enumerate(ROWS):
            Thread(trace, 101 + number, name, number, now=START).state(
                "sleeping", call=call, since=START - 60_000_000_000, args=args, path=path, at_stop=at_stop)
    return trace
