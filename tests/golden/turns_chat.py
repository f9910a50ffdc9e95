# SPDX-License-Identifier: GPL-2.0-only
"""An event loop (turns.py) in which 3 requests of 100 wait for what another client sends, as blocking pops of a queue do.
Answer: nothing. What another client brings is no wait of the server."""
from turns import LOOP, Server

waiting = []


def handle(server, fd):
    if waiting and server.random.random() < 0.1:
        server.loop.run(20_000, LOOP + ["handle_request", "hand_out"])
        server.answer(waiting.pop())
    if len(waiting) < 2 and server.random.random() < 0.03:
        waiting.append(fd)
    else:
        server.answer(fd)


Server(84).run(handle)
