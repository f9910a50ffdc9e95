# SPDX-License-Identifier: GPL-2.0-only
"""All handlers call find_item; one of them, list_items, calls it 60 times as often in 3 requests of 100. An item
takes as long as ever.
Answer: list_items, whose loop it is."""
from callers import look_up, serve

serve(31, lambda loop, trace: look_up(loop, "list_items", 60, 4_000, lambda: trace.random.randint(60_000, 90_000)))
