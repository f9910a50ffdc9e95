# SPDX-License-Identifier: GPL-2.0-only
"""A goroutine that sleeps by a timer for seconds reads a zone again, on the thread that has just answered a request, and no request waits for it.
Answer: nothing abnormal."""
from tasks_asleep import serve

serve(88, lambda random: (0, ()), lasting=[(("keep_zone", "libc:time.Sleep"), 1, 0)],
      between=lambda random: (random.randint(20_000_000, 40_000_000), ("keep_zone", "read_zone")) if random.random() < 0.01 else (0, ()))
