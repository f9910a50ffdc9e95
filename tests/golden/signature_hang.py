# SPDX-License-Identifier: GPL-2.0-only
"""The server of signature.py, which stops for good in wait_for_quiet, traced without stacks.
Signatures alone: learned.
Answer: a hang in wait_for_quiet, named by the call that the thread is in."""
from server import serve

serve(seed=6, seconds=8, slow_share=0, stack_min_ns=None, hang=True).print()
