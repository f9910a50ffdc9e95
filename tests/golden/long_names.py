# SPDX-License-Identifier: GPL-2.0-only
"""The server of cpu.py with names as Java's compiler and C++ have them, three bugs at once.
Answer: all three; Java's without types of arguments and result, as C++ has them; in the table without what is in
front where there is no room for it, the columns below one another; whole in the details."""
from loop import serve_by_loop
from synth import Trace

trace = Trace(seconds=4, seed=9)
NAMES = ["boolean\\x20org.apache.jsp.ledger_jsp.appendLedger(java.lang.String,\\x20int)",
         "storage::(anonymous\\x20namespace)::Table<std::pair<int,\\x20long>>::find_row",
         "walk_the_whole_list_of_what_was_ever_sold"]


def handle(loop):
    loop.run(trace.random.randint(80_000, 120_000), ["main", "event_loop", "handle", "parse"])
    for name in NAMES:
        if trace.random.random() < 0.02:
            loop.run(trace.random.randint(3_000_000, 5_000_000),
                     ["main", "event_loop", "handle", name])


serve_by_loop(trace, handle)
