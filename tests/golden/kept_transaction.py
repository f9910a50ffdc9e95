# SPDX-License-Identifier: GPL-2.0-only
"""Threads that serve a connection each by poll and read. One client pauses for 20 ms inside a
transaction; 5 of 100 requests of the others wait for a row that it changed, on a condition variable.
Answer: outside; the poll in which the thread of that client waits is not to blame, though it has a stack."""
from pausing import serve_rows
from synth import Trace

trace = Trace(seconds=6, seed=28)
serve_rows(trace)
trace.print()
