# SPDX-License-Identifier: GPL-2.0-only
"""A server with a thread for each client, and its clients in another process. Every 50th request of a client
multiplies long numbers with the interpreter's lock; where "healthy" is asked for none does.
Usage: slices_work.py PORT (serves until it is killed) | slices_work.py PORT CLIENTS SECONDS [healthy]"""
import socket
import sys
import threading
import time

HOST = "127.0.0.1"
LONG = 7 ** 250_000


def serve_client(client):
    while request := client.recv(64):
        answer = sum(range(20_000))
        if request == b"multiply":
            answer = LONG * (LONG + 1) % 10
        client.sendall(str(answer).encode())


def serve(port):
    listener = socket.create_server((HOST, port), backlog=64)
    while True:
        client, _ = listener.accept()
        threading.Thread(target=serve_client, args=(client,), daemon=True).start()


def ask(port, seed, until, healthy):
    server = socket.create_connection((HOST, port))
    number = seed * 7
    while time.monotonic() < until:
        number += 1
        server.sendall(b"multiply" if number % 50 == 0 and not healthy else b"look")
        server.recv(64)
        time.sleep(0.005)


port = int(sys.argv[1])
if len(sys.argv) == 2:
    serve(port)
until = time.monotonic() + float(sys.argv[3])
clients = [threading.Thread(target=ask, args=(port, i, until, "healthy" in sys.argv)) for i in range(int(sys.argv[2]))]
for client in clients:
    client.start()
for client in clients:
    client.join()
