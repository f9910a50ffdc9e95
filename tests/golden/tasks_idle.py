# SPDX-License-Identifier: GPL-2.0-only
"""As tasks_stuck, but no task waits for the lock: a healthy program. Tasks idle for long in functions of the program as well.
Answer: nothing."""
from tasks_asleep import serve
from tasks_stuck import IDLE

serve(78, lambda random: (0, ()), lasting=IDLE)
