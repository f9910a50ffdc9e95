# SPDX-License-Identifier: GPL-2.0-only
"""A server that calculates for long in some of its requests, traced without stacks.
Signatures alone: busy_learned.
Answer: decode, which makes no call, by signatures alone; render is as busy in every request. 0.6 ms more, five times the usual time, in a kind
of its own is no slowdown."""
from busy_server import serve

serve(seed=5, seconds=8, stack_min_ns=None).print()
