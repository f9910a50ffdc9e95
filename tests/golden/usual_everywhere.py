# SPDX-License-Identifier: GPL-2.0-only
"""All handlers call find_item, which has most of the time of every request; 3 of 100 requests look up more items,
up to 20, by whichever handler. That is what clients ask for.
Answer: nothing abnormal. No function takes longer on any way, and no handler does."""
from callers import look_up, serve


def larger(loop, trace):
    look_up(loop, trace.random.choice(["get_item", "set_item", "list_items"]), trace.random.randint(4, 20), 4_000,
            lambda: trace.random.randint(60_000, 90_000))


serve(35, larger)
