# SPDX-License-Identifier: GPL-2.0-only
"""Asks a server of interpreter_work.py: interpreter_load.py PORT KINDS REQUESTS. One request in 20 of each connection is of
one of the KINDS, in turn."""
import socket
import sys
import threading
import time

port, kinds, requests = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])


def ask(first):
    connection = socket.create_connection(("127.0.0.1", port))
    for number in range(first, first + requests):
        connection.send((kinds[number // 20 % len(kinds)] if number % 20 == 0 and kinds else "u").encode())
        connection.recv(1)
        time.sleep(0.002)


threads = [threading.Thread(target=ask, args=(first,)) for first in (0, 7, 13)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
