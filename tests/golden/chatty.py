# SPDX-License-Identifier: GPL-2.0-only
"""The same where these requests ask it 20 times.
Answer: ask_backend, inside the program."""
from asking import serve

serve(seed=37, times=20).print()
