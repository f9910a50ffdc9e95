# SPDX-License-Identifier: GPL-2.0-only
"""The server of signature.py, where wait_for_quiet has no symbol, traced without stacks.
Signatures alone: learned_stripped.
Answer: its address, and that compact called it, which was learned."""
from server import serve

serve(seed=5, seconds=8, slow_share=0.15, stack_min_ns=None, stripped=["wait_for_quiet"]).print()
