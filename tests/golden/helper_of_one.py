# SPDX-License-Identifier: GPL-2.0-only
"""All handlers call find_item; some items take 60 times as long, which list_items alone asks for. It does no more
itself than usual.
Answer: the slow function below find_item, and not the handler."""
from callers import look_up, serve

serve(33, lambda loop, trace: look_up(loop, "list_items", 1, 4_000, lambda: trace.random.randint(4_000_000, 5_000_000)))
