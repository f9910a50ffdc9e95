# SPDX-License-Identifier: GPL-2.0-only
"""Each request looks for itself in a list of all before it, from 0.3 ms at first to 0.9 ms at the end. It had most of the time from the begin.
Answer: find, which takes longer and longer. Calls take as long as ever, so that the machine is not why."""
from grows_of import serve

serve(find=lambda part: 300_000 + 600_000 * part, render=lambda part: 50_000, calls=lambda part: 1, answer=lambda part: 500, seed=91)
