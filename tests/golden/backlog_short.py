# SPDX-License-Identifier: GPL-2.0-only
"""A server of one thread serves a client that keeps its connection; see backlog.py. Six more have waited for 2 s to be accepted, which
a busy moment explains as well.
Answer: nothing."""
from backlog import serve

serve(2_000_000_000)
