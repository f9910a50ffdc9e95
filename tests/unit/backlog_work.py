# SPDX-License-Identifier: GPL-2.0-only
"""A server that serves one client after the other, and that many clients: the first one is served twice and then asks for nothing.
With `pause` it asks a third time, and the server waits for a signal instead of reading that. With `datagrams` the server answers one datagram,
and then waits for a signal.

Usage: backlog_work.py CLIENTS [pause | datagrams]      prints its pid when they are there; the clients are in a process of their own
"""
import os
import signal
import socket
import subprocess
import sys
import time

listener = socket.socket()
if os.path.exists("/sbin/ip") or os.path.exists("/usr/sbin/ip"):
    subprocess.run(["ip", "link", "set", "lo", "up"], stderr=subprocess.DEVNULL)
listener.bind(("127.0.0.1", 0))
listener.listen(16)
server = os.getpid()
pauses = len(sys.argv) > 2


def serve_datagrams():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as own:
        for port in range(20000, 32000):
            try:
                own.bind(("127.0.0.1", port))
                break
            except OSError:
                pass
        if not os.fork():
            client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            client.connect(own.getsockname())
            own.close()
            client.send(b"question")
            client.recv(8)
            client.send(b"question")
            print(server, flush=True)
            while os.getppid() == server:
                time.sleep(0.1)
            os._exit(0)
        own.sendto(*own.recvfrom(8))
        signal.pause()


if sys.argv[2:] == ["datagrams"]:
    serve_datagrams()


def answer(to, text, asked):
    to.sendall(text)
    if pauses and asked == 2:
        signal.pause()


if not os.fork():
    clients = []
    for number in range(int(sys.argv[1])):
        clients.append(socket.create_connection(listener.getsockname()))
        if not number:
            for _ in range(2):
                clients[0].sendall(b"question")
                clients[0].recv(8)
            if pauses:
                clients[0].sendall(b"question")
    print(server, flush=True)
    while os.getppid() == server:
        time.sleep(0.1)
    os._exit(0)
while True:
    peer = listener.accept()[0]
    number = 0
    while asked := peer.recv(8):
        number += 1
        answer(peer, asked, number)
