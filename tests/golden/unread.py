# SPDX-License-Identifier: GPL-2.0-only
"""A server of one thread, asleep since before the trace began. Its clients have sent something, and one waits to be accepted."""
from synth import Thread, Trace

START = 70_000_000_000


def sleep_on(call, args, path, unread_ns, seconds=5, others=()):
    """unread_ns: for how long bytes have waited in two of three connections as the window ends. others: name, call, arguments and path of threads beside."""
    trace = Trace(seconds=seconds, seed=61)
    trace.begin_at(START)
    trace.fd(3, "listen", name="socket:[55]")
    for fd in (7, 8, 9):
        trace.fd(fd, "accepted", name=f"socket:[{50 + fd}] from 10.0.0.1:80 to 10.0.0.2:{40000 + fd}")
    last = trace.end_ns - 10_000_000
    for row, time in enumerate(range(last - unread_ns, last + 1, 1_000_000_000)):
        for fd in (7, 9):
            trace.meta(f"waiting_bytes.{2 * row + fd % 2}", f"{time} {last - unread_ns} {50 + fd} 64 0")
    server = Thread(trace, 100, "server", 0, now=START)
    server.state("sleeping", call=call, since=START - 60_000_000_000, args=args, path=path)
    server.state("sleeping", call=call, since=START - 60_000_000_000, args=args, path=path, at_stop=True)
    for number, (name, other_call, other_args, other_path) in enumerate(others):
        other = Thread(trace, 101 + number, name, 1 + number, now=START)
        for at_stop in (False, True):
            other.state("sleeping", call=other_call, since=START - 59_000_000_000, args=other_args, path=other_path, at_stop=at_stop)
    trace.print()
