# SPDX-License-Identifier: GPL-2.0-only
"""A server that waits too long in some of its requests, traced without stacks.
Signatures alone: learned.
Answer: wait_for_quiet, below compact, by signatures alone."""
from server import serve

serve(seed=5, seconds=8, slow_share=0.15, stack_min_ns=None).print()
