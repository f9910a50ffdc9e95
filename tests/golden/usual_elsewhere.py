# SPDX-License-Identifier: GPL-2.0-only
"""All handlers call find_item, which has most of the time of every request. Some items that list_items alone asks
for take 60 times as long; and a few of others three times, which is next to nothing.
Answer: the slow function, on the way from list_items: on all ways together it is as usual as ever."""
from callers import look_up, serve


def slow(loop, trace):
    look_up(loop, "list_items", 1, 4_000, lambda: trace.random.randint(4_000_000, 5_000_000))


def mild(loop, trace):
    for handler in ("get_item", "set_item"):
        look_up(loop, handler, 1, 4_000, lambda: trace.random.randint(500_000, 700_000))


serve(34, lambda loop, trace: slow(loop, trace) if trace.random.random() < 0.33 else mild(loop, trace))
