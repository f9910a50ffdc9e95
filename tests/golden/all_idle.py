# SPDX-License-Identifier: GPL-2.0-only
"""No thread does anything in the window: three wait on a condition variable since a minute before it,
and one for clients. They may be hung, or idle.
Answer: that nothing can be said, and where the three are, unsure."""
from all_stand import all_stand

all_stand(seconds=3, seed=9).print()
