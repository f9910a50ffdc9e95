# SPDX-License-Identifier: GPL-2.0-only
"""The loads of the cases from public histories, at a steady rate with pauses, and the backend that answers them.

Usage: historyload.py backend PORT SERVER_PID [KIND]    until that process is gone: HTTP at PORT, Redis's protocol (any
           command: +OK) at PORT and PORT + 1; or, by KIND, cached (HTTP that stays open), database or calls (packaged.py)
       historyload.py LOAD PORT BACKEND CONNECTIONS RATE RARE SECONDS SEED
LOAD is a row of LOADS; RARE a percentage of requests. Prints "warm" as the load begins, and at its end the requests
answered, how long they took, and those that took a second or more."""
import os
import random
import socket
import sys
import threading
import time

import packaged


def recv_some(peer, length=1):
    got = b""
    while len(got) < length:
        some = peer.recv(65536)
        if not some:
            break
        got += some
    return got


def serve(peer):
    """HTTP ends with its answer, as long as the path says; what begins with * are commands of Redis, the rest goes back."""
    try:
        while True:
            asked = peer.recv(65536)
            if not asked:
                break
            if asked[:1] == b"*":
                peer.sendall(b"+OK\r\n" * asked.count(b"\r\nGET\r\n"))
            elif asked[:4] != b"GET ":
                peer.sendall(asked)
            else:
                length = int(asked.split()[1].rpartition(b"/")[2] or 100)
                peer.sendall(b"HTTP/1.0 200 OK\r\nContent-Length: %d\r\n\r\n" % length + b"x" * length)
                break
    except (OSError, IndexError, ValueError):
        pass
    peer.close()


def listen(port, serve_one):
    server = socket.create_server(("0.0.0.0", port), backlog=500)
    while True:
        threading.Thread(target=serve_one, args=(server.accept()[0],), daemon=True).start()


def backend(port, pid, kind="plain"):
    if kind == "calls":
        threading.Thread(target=packaged.serve_calls, args=(port,), daemon=True).start()
    else:
        serve_one = {"cached": packaged.serve_cached, "database": packaged.serve_database}.get(kind, serve)
        for i in range(2):
            threading.Thread(target=listen, args=(port + i, serve_one), daemon=True).start()
    deaf = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)  # a name server that answers nobody
    try:
        deaf.bind(("127.0.0.63", 53))
    except OSError:
        pass
    while os.path.exists(f"/proc/{pid}"):
        time.sleep(0.5)


class Client:
    def __init__(self, port, back, rare, draw):
        self.port, self.back, self.rare, self.draw = port, back, rare, draw
        self.peer = None

    def connect(self, port, source=""):
        peer = socket.socket()
        peer.settimeout(60)
        if source:
            peer.bind((source, 0))
        peer.connect(("127.0.0.1", port))
        peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return peer

    def is_rare(self):
        return self.draw.random() * 100 < self.rare

    def ask_once(self, port, host, source=""):
        with self.connect(port, source) as peer:
            peer.sendall(b"GET http://%s:%d/%d HTTP/1.0\r\n\r\n" % (host, self.back, self.draw.randrange(200, 4000)))
            while peer.recv(65536):
                pass

    def acl(self):
        self.ask_once(self.port, b"127.0.0.1", "127.0.0.2" if self.is_rare() else "127.0.0.1")

    def filter(self):
        self.ask_once(self.port, b"127.0.0.3" if self.is_rare() else b"127.0.0.1")

    def plain(self):
        self.ask_once(self.port, b"127.0.0.1")

    def psk(self):
        self.ask_once(self.port + (2 if self.is_rare() else 1), b"127.0.0.1")

    def socks(self):
        if not self.peer:
            self.peer = self.connect(self.port)
            self.peer.sendall(b"\x05\x01\x00")
            recv_some(self.peer, 2)
            self.peer.sendall(b"\x05\x01\x00\x01\x7f\x00\x00\x01" + self.back.to_bytes(2, "big"))
            recv_some(self.peer, 10)
        text = b"echo" + b"x" * self.draw.randrange(60, 2000)
        self.peer.sendall(text)
        recv_some(self.peer, len(text))

    def keep(self):
        self.peer = self.peer or self.connect(self.port)
        self.peer.sendall(b"GET /page%d.html HTTP/1.1\r\nHost: a\r\n\r\n" % self.draw.randrange(1, 10))
        head, _, body = recv_some(self.peer).partition(b"\r\n\r\n")
        for line in head.lower().split(b"\r\n"):
            if line.startswith(b"content-length:"):
                recv_some(self.peer, int(line[15:]) - len(body))
        if b"connection: close" in head.lower():
            self.peer = self.peer.close()

    def shards(self):
        self.peer = self.peer or self.connect(self.port)
        self.peer.sendall(b"*2\r\n$3\r\nGET\r\n$6\r\nk%05d\r\n" % self.draw.randrange(90000))
        recv_some(self.peer, 5)



LOADS = {name: getattr(Client, name) for name in ("acl", "filter", "plain", "psk", "socks", "keep", "shards")}
LOADS.update(packaged.ASKS)


def drive(ask, client, pause, end, took):
    while time.monotonic() < end:
        time.sleep(client.draw.expovariate(1 / pause))
        sent = time.monotonic()
        try:
            ask(client)
        except OSError:
            client.peer = None
            continue
        took.append(time.monotonic() - sent)


def visit_far(client, end):
    """The second port of a proxy, whose server is far away, is asked each four seconds or so."""
    while time.monotonic() < end:
        time.sleep(client.draw.uniform(3, 5))
        with client.connect(client.port + 1) as peer:
            peer.sendall(b"*2\r\n$3\r\nGET\r\n$3\r\nfar\r\n")
            recv_some(peer, 5)


def hold(port, count):
    """Connections that ask for nothing."""
    held = [socket.socket() for _ in range(count)]
    for peer in held:
        peer.setblocking(False)
        peer.connect_ex(("127.0.0.1", port))
    return held


def main(load, port, back, conns, rate, rare, seconds, seed):
    if load in packaged.PREPARE:
        packaged.PREPARE[load](Client(port, back, 0, random.Random(seed)))
    took, end = [], time.monotonic() + seconds
    clients = [Client(port, back, rare, random.Random(seed * 1000 + i)) for i in range(conns)]
    threads = [threading.Thread(target=drive, args=(LOADS[load], client, conns / rate, end, took), daemon=True)
               for client in clients]
    beside = visit_far if load == "shards" else packaged.BESIDE.get(load)
    if beside:
        threads.append(threading.Thread(target=beside, args=(Client(port, back, 0, random.Random(seed)), end), daemon=True))
    for thread in threads:
        thread.start()
    print("warm", flush=True)
    time.sleep(2)
    held = hold(port, int(os.environ.get("HOLD", 0)))
    try:
        for thread in threads:
            thread.join()
    except KeyboardInterrupt:
        pass
    took = sorted(took) or [0]
    print(f"requests {len(took)} median {took[len(took) // 2] * 1e6:.0f} us p99 {took[len(took) * 99 // 100] * 1e6:.0f} us "
          f"longest {took[-1] * 1e3:.0f} ms, {sum(one >= 1 for one in took)} of a second and more; held {len(held)}")


if __name__ == "__main__":
    if sys.argv[1] == "backend":
        backend(int(sys.argv[2]), int(sys.argv[3]), *sys.argv[4:])
    else:
        main(sys.argv[1], *map(int, sys.argv[2:]))
