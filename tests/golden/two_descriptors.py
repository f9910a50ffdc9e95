# SPDX-License-Identifier: GPL-2.0-only
"""Processes of one client each, as inetd runs them: what they read from descriptor 0 is answered by descriptor 1, which is the same
connection. They wait by a select of one descriptor for a request, and by one of two until there is room for the answer. One connection
is made while the trace runs: its descriptor 7 becomes 0 and 1, and is closed. 1 request in 25 tries a pattern for 4 ms.
Answer: try_pattern."""
from synth import Thread, Trace

LOOP = ["main", "serve_session"]

trace = Trace(seconds=6, seed=91)
for number in range(4):
    pid = 200 + number
    trace.head.append(f"thread {pid} {pid} server")
    for fd in (0, 1) if number else (7,):
        trace.head.append(f"fd {pid} {fd} accepted socket:[{9000 + number}]\\x20from\\x20127.0.0.1:21\\x20to\\x20127.0.0.1:{50000 + number}")
for number in range(4):
    session = Thread(trace, 200 + number, "server", number)
    session.tgid = 200 + number
    session.state("runnable", flags=" on_cpu")
    session.begin()
    if not number:
        session.call("dup2", 1_000, ret=0, args="7,0", path=LOOP + ["libc:dup2"])
        session.call("dup2", 1_000, ret=1, args="7,1", path=LOOP + ["libc:dup2"])
        session.call("close", 1_000, ret=0, args="7", path=LOOP + ["libc:close"])
    while session.now < trace.end_ns - 60_000_000:
        session.sleep("pselect6", trace.random.randint(5_000_000, 25_000_000), ret=1, args="1", path=LOOP + ["read_line", "libc:select"])
        session.call("read", 5_000, ret=40, args="0", path=LOOP + ["read_line", "libc:read"])
        session.run(trace.random.randint(100_000, 180_000), LOOP + ["obey"])
        if trace.random.random() < 0.04:
            session.run(trace.random.randint(3_500_000, 4_500_000), LOOP + ["obey", "try_pattern"])
        session.call("pselect6", 4_000, ret=1, args="2", path=LOOP + ["answer", "libc:select"])
        session.call("write", 9_000, ret=36, args="1", path=LOOP + ["answer", "libc:write"])
    session.stuck("pselect6", args="1")
trace.print()
