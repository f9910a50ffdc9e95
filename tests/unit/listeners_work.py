# SPDX-License-Identifier: GPL-2.0-only
"""A server that connects to a backend on the same host for each request, and a client of it. The backend answers after 2 ms, now and
then after 40 ms. Prints the numbers of the server's and the backend's process."""
import os
import socket
import time


def listen():
    one = socket.socket()
    one.bind(("127.0.0.1", 0))
    one.listen(64)
    return one


def ask(address):
    with socket.create_connection(address) as one:
        one.sendall(b"question")
        return one.recv(64)


def serve(door, answer):
    """answer: of the number of the request. The parent's end ends it."""
    number = 0
    while os.getppid() != 1:
        one, _ = door.accept()
        with one:
            one.recv(64)
            one.sendall(answer(number))
        number += 1


def backend(number):
    time.sleep(0.04 if number % 20 == 19 else 0.002)
    return b"answer"


inner, outer = listen(), listen()
children = []
for door, other, answer in (inner, outer, backend), (outer, inner, lambda number: ask(inner_address)):
    inner_address = inner.getsockname()
    child = os.fork()
    if not child:
        other.close()
        serve(door, answer)
        os._exit(0)
    children.append(child)
address = outer.getsockname()
inner.close()
outer.close()
print(children[1], children[0], flush=True)
while True:
    ask(address)
