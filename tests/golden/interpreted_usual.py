# SPDX-License-Identifier: GPL-2.0-only
"""No request of a server in Python is slow: nothing is abnormal, whatever its snapshots hit."""
from interpreted import APP, serve

serve(33, lambda server: server.run(1_200_000, APP + ["parse"]))
