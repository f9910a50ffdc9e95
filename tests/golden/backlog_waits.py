# SPDX-License-Identifier: GPL-2.0-only
"""A server of one thread serves a client that keeps its connection; see backlog.py. Six more have waited for 5 s to be accepted.
Answer: a hang in serve_client."""
from backlog import serve

serve(5_000_000_000)
