# SPDX-License-Identifier: GPL-2.0-only
"""5 % of the requests of a server in Python sleep for 5 ms in ask, shorter than the time between two snapshots: its name comes
first, and the sleeps that have no snapshot are those of the ones that have."""
from interpreted import APP, serve

serve(32, lambda server: server.sleep("nanosleep", 5_000_000, APP + ["ask"]))
