# SPDX-License-Identifier: GPL-2.0-only
"""The same workers, whose backend always takes as long as it does: most of the time goes into waiting for it.
Answer: nothing abnormal.
Waits."""
from backends import serve

serve(74, lambda random: int(1_000_000 * random.lognormvariate(0, 0.15)))
