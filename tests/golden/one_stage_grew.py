# SPDX-License-Identifier: GPL-2.0-only
"""Every request takes half as long again: parse_body takes twice what it took, render_page what it did.
Answer: parse_body. It is far from 2.5 times its share of the time; it has all of what requests take longer.
Baseline: two_stages."""
from two_stages_of import serve

serve(parse=1_000_000, render=500_000, seed=2)
