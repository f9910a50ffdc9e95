# SPDX-License-Identifier: GPL-2.0-only
"""What signature.py learns from: the same server, well, with a stack at every call.
Answer: nothing abnormal; every request does the same."""
from server import serve

serve(seed=3, seconds=4, slow_share=0, stack_min_ns=0).print()
