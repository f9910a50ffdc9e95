# SPDX-License-Identifier: GPL-2.0-only
"""Four workers ask another server for 1 ms in each request while they have a lock that all of them need. All requests
are slow alike: ask_peer is the bottleneck, nearly all of the time, although no thread runs.
Waits."""
from asleep import serve

serve(seed=62, peer_ns=1_000_000, shared=True).print()
