# SPDX-License-Identifier: GPL-2.0-only
"""The same where the journal is compacted under the lock in one turn of ten as well.
Answer: compact, as the holder; write_journal, which only waits for a CPU, is not named."""
from locked import serve

serve(seed=33, starved_share=0.1, compact_share=0.1).print()
