# SPDX-License-Identifier: GPL-2.0-only
"""As tasks_stuck, but what waits does so for whichever of two things comes first, as one does that a client asked for news.
Answer: nothing can be said; wait_for_news may be idle."""
from tasks_asleep import serve
from tasks_stuck import HTTP, IDLE

serve(79, lambda random: (0, ()), lasting=IDLE + [((HTTP, "wait_for_news", "libc:runtime.selectgo"), 2, -3_000_000_000)])
