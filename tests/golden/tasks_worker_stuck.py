# SPDX-License-Identifier: GPL-2.0-only
"""As tasks_idle, but one of the workers that the program started itself waits below pack_order for something that does not come.
Answer: pack_order hangs."""
from tasks_asleep import serve
from tasks_stuck import IDLE

serve(80, lambda random: (0, ()), lasting=IDLE + [
    (("run_worker", "pack_order", "libc:sync.(*WaitGroup).Wait"), 1, 3_000_000_000)])
