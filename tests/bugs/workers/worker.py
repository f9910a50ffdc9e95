# SPDX-License-Identifier: GPL-2.0-only
"""The functions of ../languages/serve.py as jobs of a queue in Redis: see ../workers.py."""
import os
import socket
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../languages"))
import serve  # pylint: disable=wrong-import-position


def connected():
    """The broker begins later."""
    while True:
        try:
            return socket.create_connection(("127.0.0.1", int(serve.PORT)))
        except OSError:
            time.sleep(0.02)


def ask(broker, lines, *words):
    """What Redis answers, a list of texts, or one."""
    broker.sendall(b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in words))
    head = lines.readline()
    if not head:
        os._exit(0)
    if head[:1] != b"*":
        return head
    return [lines.read(int(lines.readline()[1:]) + 2)[:-2] for _ in range(max(0, int(head[1:])))]


def process_job(kind):
    serve.answer("/" + kind)


def work():
    broker = connected()
    lines = broker.makefile("rb")
    while True:
        job = ask(broker, lines, b"BLPOP", b"jobs", b"0")
        process_job(job[1].decode().strip())
        ask(broker, lines, b"INCR", b"done")


serve.begin()
for _ in range(int(serve.SHAPE)):
    threading.Thread(target=work).start()
