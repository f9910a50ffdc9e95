# SPDX-License-Identifier: GPL-2.0-only
"""All handlers call find_item. list_items gives it, in 3 requests of 100, 60 times as much to do as anyone else does, and does
no more itself than usual.
Answer: list_items. The helper does what it always does."""
from callers import look_up, serve

serve(33, lambda loop, trace: look_up(loop, "list_items", 1, 4_000, lambda: trace.random.randint(4_000_000, 5_000_000)))
