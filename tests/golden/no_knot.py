# SPDX-License-Identifier: GPL-2.0-only
"""The same workers, whose own work takes as long as the stage's for all of them: the stage is free most of the time,
requests wait for it now and then, and nothing is a bottleneck.
Waits."""
from stages import serve

serve(seed=62, stage_ns=100_000, own_ns=600_000, pause_ns=900_000).print()
