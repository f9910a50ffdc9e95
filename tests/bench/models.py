# SPDX-License-Identifier: GPL-2.0-only
"""The clients of models.sh, and its comparison.

Usage: models.py load http|redis|memcached PORT CONNECTIONS SECONDS SEED
       PAUSE_MS=10: mean time of a client between two requests
       models.py check MODEL.json 'FIELD=VALUE ...'     prints the fields that are not so
"""
import json
import os
import random
import socket
import sys
import threading
import time

PAUSE_S = float(os.environ.get("PAUSE_MS", "10")) / 1000
REQUESTS = {
    "http": lambda number: b"GET /%d HTTP/1.1\r\nHost: localhost\r\n\r\n" % (number % 9),
    "redis": lambda number: b"*2\r\n$3\r\nGET\r\n$2\r\nk%d\r\n" % (number % 9),
    "memcached": lambda number: b"get k%d\r\n" % (number % 9),
}


def receive(kind, to):
    """Receives one answer. False at the end of the connection."""
    data = b""
    while True:
        part = to.recv(65536)
        if not part:
            return False
        data += part
        if kind != "http":
            if data.endswith(b"\r\n"):
                return True
            continue
        head, found, body = data.partition(b"\r\n\r\n")
        if not found:
            continue
        for line in head.split(b"\r\n"):
            if line.lower().startswith(b"content-length:") and len(body) >= int(line.split(b":")[1]):
                return True
        if b"chunked" in head.lower() and body.endswith(b"0\r\n\r\n"):
            return True


def client(kind, port, until, mix, begin):
    """Keeps a connection. Connects again if the server ends it, as httpd does while its threads are few."""
    begin.wait()
    while time.monotonic() < until:
        with socket.create_connection(("127.0.0.1", port)) as to:
            to.settimeout(20)
            while time.monotonic() < until:
                try:
                    to.sendall(REQUESTS[kind](mix.randrange(1 << 20)))
                    if not receive(kind, to):
                        break
                except (BrokenPipeError, ConnectionResetError):
                    break
                time.sleep(mix.uniform(0.4, 1.6) * PAUSE_S)


def load(kind, port, connections, seconds, seed):
    begin = threading.Barrier(connections)
    until = time.monotonic() + seconds
    for i in range(connections):
        threading.Thread(target=client, args=(kind, port, until, random.Random(seed * 1000 + i), begin)).start()


def check(path, wanted):
    with open(path, encoding="utf-8") as file:
        model = json.load(file)
    found = {**(model["network"] or {}), "processes": model["processes"], "listeners": model["listeners"]}
    wrong = []
    for pair in wanted.split():
        name, value = pair.split("=")
        if json.dumps(found.get(name)).strip('"') != value:
            wrong.append(f"{name}={json.dumps(found.get(name))} is not {value}")
    print(", ".join(wrong))
    return bool(wrong)


if sys.argv[1] == "check":
    sys.exit(check(sys.argv[2], sys.argv[3]))
load(sys.argv[2], *(int(word) for word in sys.argv[3:]))
