# SPDX-License-Identifier: GPL-2.0-only
"""Four workers take turns to wait for the next client while they have a lock, and release the lock before they serve it
(leader and followers). The lock is only waited for by threads that have nothing to do: no bottleneck.
Waits."""
from asleep import serve

serve(seed=63, peer_ns=1_000_000, shared=False).print()
