# SPDX-License-Identifier: GPL-2.0-only
"""As tasks_wait, but the capture did not look at tasks: nothing can be said about where they wait, and no thread waits.
Answer: nothing."""
from tasks_asleep import serve

serve(71, lambda random: (random.randint(38_000_000, 42_000_000), ()) if random.random() < 0.03 else (0, ()), looks=False)
