# SPDX-License-Identifier: GPL-2.0-only
"""An event loop in which every request is parsed and rendered, as long each.
Answer: nothing is abnormal."""
from two_stages_of import serve

serve(parse=500_000, render=500_000)
