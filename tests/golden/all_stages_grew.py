# SPDX-License-Identifier: GPL-2.0-only
"""Every request takes half as long again, and so does each function: as on a slower machine.
Answer: no function stands out.
Baseline: two_stages."""
from two_stages_of import serve

serve(parse=750_000, render=750_000, seed=2)
