# SPDX-License-Identifier: GPL-2.0-only
"""An event loop (turns.py) that asks a peer for each request, as a proxy does. The peer takes 0.5 to 1.5 ms, and for 3 of 100 20 ms.
Answer: outside, a slow peer."""
from turns import Server


def handle(server, fd):
    slow = server.random.random() < 0.03
    server.ask_peer(fd, server.random.randint(18_000_000, 22_000_000) if slow else server.random.randint(500_000, 1_500_000),
                    ["handle_request", "ask_backend"])


Server(82).run(handle)
