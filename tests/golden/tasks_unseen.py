# SPDX-License-Identifier: GPL-2.0-only
"""As tasks_wait, but the capture did not look at tasks, so nothing can be said about where they wait, and no thread waits. The requests are
held by their loop all the same.
Answer: answer, which works for all requests, with low confidence: no stack shows what asked for the wait."""
from tasks_asleep import serve

serve(71, lambda random: (random.randint(38_000_000, 42_000_000), ()) if random.random() < 0.03 else (0, ()), looks=False)
