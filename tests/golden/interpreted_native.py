# SPDX-License-Identifier: GPL-2.0-only
"""2 % of the requests of a server in Python match a pattern for 4 ms. Snapshots every 200 ms see few of them, so the interpreter's function that matches is
named."""
import interpreted

interpreted.PERIOD_NS = 200_000_000
interpreted.serve(35, interpreted.search, seconds=8, kind=interpreted.Matching)
