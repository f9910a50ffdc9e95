# SPDX-License-Identifier: GPL-2.0-only
"""Tasks move between the threads of a runtime; see tasks.py. All requests are alike, but a thread that passes one on may sleep for long
before it gets another task.
Answer: nothing. Nobody waits while a thread is parked."""
from tasks import serve

serve(61, lambda random: random.randint(80_000, 120_000))
