# SPDX-License-Identifier: GPL-2.0-only
"""A server in C calls the interpreter for each request. The few requests that take 3 ms longer have no snapshot, and usual ones have: what called the
interpreter is named for neither."""
import interpreted
from interpreted import APP, EVAL, Interpreted, serve


class Inside(Interpreted):
    """Functions of the server are below the interpreter's."""
    @staticmethod
    def native():
        return [("main", "server"), ("call_application", "server")] + [(name, "libpython3.11.so.1.0") for name in EVAL]

    @staticmethod
    def stack_of(path, asleep):
        return ["main", "call_application"] + EVAL


def search(server):
    if server.trace.random.random() < 0.1:
        server.run(3_000_000, APP + ["search"])


interpreted.PERIOD_NS = 200_000_000
serve(37, search, seconds=8, kind=Inside)
