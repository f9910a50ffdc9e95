# SPDX-License-Identifier: GPL-2.0-only
"""All handlers call find_item; some items take 60 times as long, whichever handler asks for them.
Answer: the slow function below find_item, and not a handler."""
from callers import look_up, serve

serve(32, lambda loop, trace: look_up(loop, trace.random.choice(["get_item", "set_item", "list_items"]), 1, 4_000,
                                      lambda: trace.random.randint(4_000_000, 5_000_000)))
