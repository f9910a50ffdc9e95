# SPDX-License-Identifier: GPL-2.0-only
"""As interpreted_runs, on a host without an idle CPU: the process that takes a snapshot takes the CPU from the thread, which ran up to then."""
from interpreted import APP, serve

serve(37, lambda server: server.run(12_000_000, APP + ["recount"]), preempted=True)
