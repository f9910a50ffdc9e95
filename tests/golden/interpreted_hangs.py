# SPDX-License-Identifier: GPL-2.0-only
"""A server in Python waits for a lock in take_order for the last half of the trace: the hang is there, as its snapshots say."""
from interpreted import APP, serve

serve(34, lambda server: server.run(1_200_000, APP + ["parse"]), hang="take_order")
