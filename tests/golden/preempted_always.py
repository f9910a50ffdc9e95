# SPDX-License-Identifier: GPL-2.0-only
"""The same where the journal thread waits for a CPU in nearly every turn.
Answer: outside the program, a CPU is wanting; no function is to blame."""
from locked import serve

serve(seed=32, starved_share=0.9, compact_share=0).print()
