# SPDX-License-Identifier: GPL-2.0-only
"""Sends a seeded mix of commands to a server that speaks the protocol of Redis, at a steady rate.

Usage: respload.py PORT SETUP MIX CONNECTIONS RATE SECONDS SEED
SETUP holds a command a line, all sent first; then "warm" is printed. A line of MIX is a share in
percent, a tab and a command, in which {N} becomes a number below N, and {A-B} text of A to B bytes.
Ends after SECONDS, or as the server does; prints the commands answered and how long they took."""
import random
import re
import socket
import sys
import threading
import time


def read_reply(file):
    line = file.readline()
    if not line:
        raise EOFError
    if line[:1] == b"$" and int(line[1:]) >= 0:
        file.read(int(line[1:]) + 2)
    elif line[:1] == b"*":
        for _ in range(int(line[1:])):
            read_reply(file)
    return line


def encode(words):
    parts = [b"$%d\r\n%s\r\n" % (len(word), word) for word in words]
    return b"*%d\r\n" % len(words) + b"".join(parts)


def connect(port):
    connection = socket.create_connection(("127.0.0.1", port))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection, connection.makefile("rb")


def set_up(port, path):
    """Fifty commands at a time: where each waits for the disk, that is one wait for all of them."""
    connection, file = connect(port)
    with open(path, "rb") as setup:
        lines = setup.read().splitlines()
    for at in range(0, len(lines), 50):
        some = lines[at:at + 50]
        connection.sendall(b"".join(encode(line.split()) for line in some))
        for line in some:
            reply = read_reply(file)
            if reply.startswith(b"-"):
                sys.exit(f"respload: {line[:60].decode()}: {reply.decode().strip()}")
    connection.close()


def fill(command, draw):
    def one(match):
        if match.group(2):
            return "x" * draw.randint(int(match.group(1)), int(match.group(2)))
        return str(draw.randrange(int(match.group(1))))
    return encode([re.sub(r"\{(\d+)(?:-(\d+))?\}", one, word).encode() for word in command.split()])


def drive(port, mix, pause, end, draw, took):
    connection, file = connect(port)
    try:
        while time.monotonic() < end:
            time.sleep(draw.expovariate(1 / pause))
            command = fill(draw.choices(mix[1], mix[0])[0], draw)
            sent = time.monotonic()
            connection.sendall(command)
            read_reply(file)
            took.append(time.monotonic() - sent)
    except (EOFError, ConnectionError):
        pass


def main(port, setup, mix_path, conns, rate, seconds, seed):
    with open(mix_path) as file:
        rows = [line.rstrip("\n").split("\t") for line in file]
    mix = [int(row[0]) for row in rows], [row[1] for row in rows]
    set_up(port, setup)
    print("warm", flush=True)
    end = time.monotonic() + seconds
    took = []
    draws = [random.Random(seed * 1000 + i) for i in range(conns)]
    threads = [threading.Thread(target=drive, daemon=True,
                                args=(port, mix, conns / rate, end, draw, took)) for draw in draws]
    for thread in threads:
        thread.start()
    try:
        for thread in threads:
            thread.join()
    except KeyboardInterrupt:
        pass
    took = sorted(took) or [0]
    print(f"commands {len(took)} median {took[len(took) // 2] * 1e6:.0f} us "
          f"p99 {took[len(took) * 99 // 100] * 1e6:.0f} us")


if __name__ == "__main__":
    port, setup, mix, *numbers = sys.argv[1:]
    main(int(port), setup, mix, *map(int, numbers))
