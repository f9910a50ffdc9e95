# SPDX-License-Identifier: GPL-2.0-only
"""A thread has the interpreter's lock for 18 ms now and then, while it computes. Requests wait for it in slices of
5 ms, most of which time out.
Answer: reindex, which ran all that time, and not take_lock, where the requests wait."""
from interpreter import KEEP, serve

serve(21, lambda keeper: keeper.run(18_000_000, KEEP + ["reindex"])).print()
