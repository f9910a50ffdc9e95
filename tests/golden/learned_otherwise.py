# SPDX-License-Identifier: GPL-2.0-only
"""As learned.py, but what waits is another function: what signature_disagrees.py learns from.
Answer: nothing abnormal; every request does the same."""
from server import serve

serve(seed=3, seconds=4, slow_share=0, stack_min_ns=0, quiet="sit_still").print()
