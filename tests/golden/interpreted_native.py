# SPDX-License-Identifier: GPL-2.0-only
"""2 % of the requests of a server in Python match a pattern for 4 ms. Snapshots every 200 ms see few of them, so the interpreter's function that matches is
named."""
import interpreted
from interpreted import APP, EVAL, Interpreted, serve

MATCH = "sre_ucs1_match"


class Matching(Interpreted):
    """Its native stacks say when it matches."""
    @staticmethod
    def native():
        return [(name, "python3.11") for name in EVAL + [MATCH]]

    @staticmethod
    def stack_of(path, asleep):
        return EVAL + [MATCH] if path and path[-1] == "search" and not asleep else EVAL


def search(server):
    if server.trace.random.random() < 0.5:
        server.run(4_000_000, APP + ["search"])


interpreted.PERIOD_NS = 200_000_000
serve(35, search, seconds=8, kind=Matching)
