# SPDX-License-Identifier: GPL-2.0-only
"""Clients ask for a list that they make longer, and the answers grow with it.
Answer: nothing, since longer answers take longer."""
from grows_of import serve

serve(find=lambda part: 300_000 + 600_000 * part, render=lambda part: 50_000, calls=lambda part: 1,
      answer=lambda part: 4_000 + round(8_000 * part), seed=93)
