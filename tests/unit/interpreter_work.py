# SPDX-License-Identifier: GPL-2.0-only
"""A server in Python, a thread for each connection. A request is a letter: c computes, s sleeps, l sleeps with a lock that all
requests take for a moment, other letters do little. It prints "port PID", waits for a line, then prints its port."""
import os
import socket
import sys
import threading
import time

lock = threading.Lock()


def little():
    return sum(i * i for i in range(200))


def burn():
    total = 0
    end = time.thread_time() + 0.05
    while time.thread_time() < end:
        total += 3
    return total


def doze():
    time.sleep(0.03)


def hold():
    with lock:
        time.sleep(0.03)


def handle(kind):
    little()
    with lock:
        little()
    {"c": burn, "s": doze, "l": hold}.get(kind, little)()


def serve(connection):
    while kind := connection.recv(1):
        handle(kind.decode())
        connection.send(kind)


def main():
    listener = socket.create_server(("127.0.0.1", 0))
    print("port", os.getpid(), flush=True)
    sys.stdin.readline()
    print(listener.getsockname()[1], flush=True)
    while True:
        connection = listener.accept()[0]
        threading.Thread(target=serve, args=(connection,), daemon=True).start()


main()
