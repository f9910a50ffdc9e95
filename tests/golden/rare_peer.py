# SPDX-License-Identifier: GPL-2.0-only
"""A healthy server of which few requests ask a backend, once, and take five times as long for it.
Answer: outside the program: the peer, and not the program that asks it."""
from asking import serve

serve(seed=36, times=1).print()
