# SPDX-License-Identifier: GPL-2.0-only
"""A thread that has the interpreter's lock waits for a CPU for 18 ms now and then. Requests wait for it in slices of
5 ms, most of which time out.
Answer: outside, the CPU. In none of the slices did anything in the program keep a request waiting."""
from interpreter import KEEP, serve


def keep(keeper):
    keeper.run(50_000, KEEP + ["touch"])
    keeper.wait_for_cpu(18_000_000)
    keeper.run(50_000, KEEP + ["touch"])


serve(22, keep).print()
