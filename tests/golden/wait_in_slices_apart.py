# SPDX-License-Identifier: GPL-2.0-only
"""The same, but it runs for 0.5 ms, a tenth of the slice: it does something else in between, and each sleep is a wait of its own.
Answer: take_lock, whose sleeps are ended by the clock."""
from interpreter import KEEP, serve

serve(23, lambda keeper: keeper.run(18_000_000, KEEP + ["reindex"]), between_ns=500_000).print()
