# SPDX-License-Identifier: GPL-2.0-only
"""Clients of test_kinds.sh: requests of known kinds, in turn, until the server ends or the time is over. Prints a line
when it has an answer.

Usage: kinds_client.py http|redis|memcached|binary|work PORT SECONDS"""
import socket
import struct
import sys
import time


def packet(opcode, key, extras=b""):
    """A request in memcached's binary protocol. The key may have any bytes."""
    return struct.pack("!BBHBBHIIQ", 0x80, opcode, len(key), len(extras), 0, 0, len(extras) + len(key), 0, 0) + extras + key


SECRET = b"secret-7c1f"
REQUESTS = {
    "http": [b"GET /search?q=" + SECRET + b" HTTP/1.1\r\nHost: a\r\n\r\n", b"GET /items/4711 HTTP/1.1\r\nHost: a\r\n\r\n"],
    "redis": [b"*2\r\n$3\r\nGET\r\n$%d\r\n%s\r\n" % (len(SECRET), SECRET), b"*2\r\n$4\r\nINCR\r\n$3\r\n\x00\xff\r\r\n"],
    "memcached": [b"get " + SECRET + b"\r\n", b"set \xff\xfe\x80 0 0 3\r\nabc\r\n", b"get \xc3\xa4\r\n"],
    "binary": [packet(0, SECRET), packet(0, b"\xff\xfe\x80\r\n"), packet(10, b"")],
    "work": [b"0", b"1", b"2"],
}

kind, port, seconds = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
until = time.monotonic() + seconds
with socket.create_connection(("127.0.0.1", port)) as to:
    to.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    number = 0
    while time.monotonic() < until:
        to.sendall(REQUESTS[kind][number % len(REQUESTS[kind])])
        if not to.recv(65536):
            break
        number += 1
        if number == 1:
            print("answered", flush=True)
        time.sleep(0.002)
