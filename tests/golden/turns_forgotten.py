# SPDX-License-Identifier: GPL-2.0-only
"""An event loop (turns.py) that forgets to answer two requests, while it serves the others.
Answer: nothing abnormal, since no thread stands; but that two requests have no answer, and since when."""
from turns import Server

forgotten = []


def handle(server, fd):
    if len(forgotten) < 2 and server.loop.now > 2_000_000_000 and server.random.random() < 0.05:
        forgotten.append(fd)
    else:
        server.answer(fd)


Server(85).run(handle)
