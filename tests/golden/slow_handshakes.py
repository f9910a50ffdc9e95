# SPDX-License-Identifier: GPL-2.0-only
"""The same with a key that is looked for in a list, and for 1 connection of 12 is at its end.
Answer: find_key, by time. Handshakes are compared with handshakes."""
from greeting import serve_with_handshake

serve_with_handshake(44, lambda random: random.randint(20_000, 30_000) if random.random() > 0.08
                     else random.randint(8_000_000, 12_000_000))
