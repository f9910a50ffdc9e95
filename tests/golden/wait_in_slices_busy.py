# SPDX-License-Identifier: GPL-2.0-only
"""The same on a busy machine: after each slice the thread runs for 0.2 ms, a twenty-fifth of the slice.
Answer: reindex; and take_lock, which runs between the slices, after it."""
from interpreter import KEEP, serve

serve(23, lambda keeper: keeper.run(18_000_000, KEEP + ["reindex"]), between_ns=200_000).print()
