# SPDX-License-Identifier: GPL-2.0-only
"""Samples that come four times as often from the second second on, of a thread that computes while others
wait for its lock.
Answer: compact, with 99 % of the excess: each sample stands for the period it was taken by. If all stood for
the first one, it would have all of it, and write_journal none."""
from locked import serve

serve(seed=31, starved_share=0, compact_share=0.05, often_ns=2_000_000_000).print()
