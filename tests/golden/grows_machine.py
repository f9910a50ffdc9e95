# SPDX-License-Identifier: GPL-2.0-only
"""The machine becomes slower and slower: each function takes up to three times as long, and each call.
Answer: nothing of the program."""
from grows_of import serve

serve(find=lambda part: 300_000 * (1 + 2 * part), render=lambda part: 50_000 * (1 + 2 * part), calls=lambda part: 1 + 2 * part,
      answer=lambda part: 500, seed=92)
