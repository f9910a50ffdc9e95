# SPDX-License-Identifier: GPL-2.0-only
"""2 % of the requests of a server in Python match a pattern for 4 ms. Snapshots every 80 ms see three of them.
Answer: search, which these have in common. Samples of the interpreter show that slow requests match, and that this is no chance."""
import interpreted

interpreted.PERIOD_NS = 80_000_000
interpreted.serve(41, interpreted.search, seconds=8, kind=interpreted.Matching)
