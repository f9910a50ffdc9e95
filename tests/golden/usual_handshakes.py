# SPDX-License-Identifier: GPL-2.0-only
"""A thread for each connection, of whose nine requests the first is a handshake that takes ten times as long.
Answer: nothing abnormal, since each connection has one: it is neither rare nor slow."""
from greeting import serve_with_handshake

serve_with_handshake(43, lambda random: random.randint(20_000, 30_000))
