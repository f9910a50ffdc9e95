# SPDX-License-Identifier: GPL-2.0-only
"""Requests are tasks; see tasks_asleep.py. 7 in 10 wait for 4 to 6 ms for a peer.
Answer: nothing; a usual request waits in ask_peer."""
from tasks_asleep import SERVE, serve

PEER = (tuple(SERVE + ["ask_peer", "libc:net.(*conn).Read"]),)
serve(72, lambda random: (random.randint(4_000_000, 6_000_000), PEER) if random.random() < 0.7 else (0, ()))
