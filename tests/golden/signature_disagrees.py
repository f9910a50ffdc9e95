# SPDX-License-Identifier: GPL-2.0-only
"""The server of signature.py with stacks at slow calls, and signatures by which another function waits.
Signatures beside stacks: learned_otherwise.
Answer: wait_for_quiet, by stacks; sit_still is not named, since stacks account for all of the excess."""
from server import serve
from synth import STACK_MIN_NS

serve(seed=5, seconds=8, slow_share=0.15, stack_min_ns=STACK_MIN_NS).print()
