# SPDX-License-Identifier: GPL-2.0-only
"""A healthy server whose journal thread waits for a CPU with the lock held, one turn in thirty.
Answer: nothing abnormal; the workers waited for a CPU through it, and no function is to blame."""
from locked import serve

serve(seed=31, starved_share=0.03, compact_share=0).print()
