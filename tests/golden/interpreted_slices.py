# SPDX-License-Identifier: GPL-2.0-only
"""Now and then a thread of a server in Python computes in crunch for 15 ms, and requests wait for the interpreter's lock in slices of
5 ms. They find it free after the last one, so nobody wakes them: the function in which they wait is no cause, and nothing names it."""
from synth import Thread
from interpreted import APP, EVAL, serve

KEEP = ["<module>", "keep"]
keeper = []


def wait(server):
    if not keeper:
        keeper.append(Thread(server.trace, 101, "crunch", 1, server.thread.now))
        keeper[0].begin()
    end = server.thread.now + 15_000_000
    keeper[0].now = max(keeper[0].now, server.thread.now)
    server.in_function(KEEP + ["crunch"], keeper[0].run, end - keeper[0].now, EVAL)
    server.in_function(KEEP, keeper[0].sleep, "nanosleep", 1_000_000, path=EVAL)
    for _ in range(3):
        server.sleep("futex", 5_050_000, APP + ["take_order"], args="0x7f00,137", ret=-110)
        server.thread.call("futex", 1_000, args="0x7f08,129", path=EVAL)


serve(36, wait)
