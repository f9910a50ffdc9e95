# SPDX-License-Identifier: GPL-2.0-only
"""What signature_stripped.py learns from: the server of learned.py, where wait_for_quiet has no symbol.
Answer: nothing abnormal; every request does the same."""
from server import serve

serve(seed=3, seconds=4, slow_share=0, stack_min_ns=0, stripped=["wait_for_quiet"]).print()
