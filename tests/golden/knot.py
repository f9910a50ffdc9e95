# SPDX-License-Identifier: GPL-2.0-only
"""Four workers queue on a lock and a pipe for one stage that computes 1 ms for each request. All requests are slow
alike, so there is nothing to compare: stage_compute is the bottleneck, nearly all of the time.
Waits."""
from stages import serve

serve(seed=61, stage_ns=1_000_000, own_ns=50_000, pause_ns=200_000).print()
