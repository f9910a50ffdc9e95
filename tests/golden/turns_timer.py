# SPDX-License-Identifier: GPL-2.0-only
"""An event loop (turns.py) in which 3 requests of 100 are answered 20 ms later, by a timer.
Answer: retry_later, which is on the stacks of what is done for these before and after; it waits in no thread."""
from turns import Server


def handle(server, fd):
    if server.random.random() < 0.03:
        server.wait_for_timer(fd, server.random.randint(18_000_000, 22_000_000), ["handle_request", "retry_later"])
    else:
        server.answer(fd)


Server(81).run(handle)
