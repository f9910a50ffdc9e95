# SPDX-License-Identifier: GPL-2.0-only
"""All handlers call find_item; some items, which list_items alone asks for, send it through walk_chain, where others never go.
Answer: walk_chain, and not the handler: the helper does something else than usual."""
from callers import HANDLE, serve

serve(33, lambda loop, trace: loop.run(trace.random.randint(4_000_000, 5_000_000),
                                       HANDLE + ["list_items", "find_item", "walk_chain"]))
