# SPDX-License-Identifier: GPL-2.0-only
"""The server of kept_transaction.py; besides, 3 of 100 requests sort for 1 ms.
Answer: outside, where most of the excess is; sort_rows is listed with the little that it has of it."""
from pausing import serve_rows
from synth import Trace

trace = Trace(seconds=6, seed=28)


def sort(thread):
    if trace.random.random() < 0.03:
        thread.run(1_000_000, ["serve", "execute", "sort_rows"])


serve_rows(trace, sort)
trace.print()
