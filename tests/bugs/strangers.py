# SPDX-License-Identifier: GPL-2.0-only
"""What strangers.sh needs in Python: an application by WSGI, loads by three protocols, and the count.

Usage: strangers.py nats|mqtt|beanstalk|redis PORT SEED      a load, until it is ended
       strangers.py count DIR                                 the runs in it; exit status 1 where one is an alarm"""
import hashlib
import json
import os
import random
import socket
import struct
import sys
import threading
import time


def application(environ, start_response):
    words = sorted(hashlib.md5(f"{i}{environ['QUERY_STRING']}".encode()).hexdigest() for i in range(200))
    start_response("200 OK", [("Content-Type", "text/plain")])
    return ["\n".join(words[:20]).encode()]


def talk(port, seed, greeting, message):
    """One connection: what message(random) makes, after pauses of 10 ms on average."""
    mix = random.Random(seed)
    peer = socket.create_connection(("127.0.0.1", port))
    threading.Thread(target=lambda: all(iter(lambda: peer.recv(65536), b"")), daemon=True).start()
    peer.sendall(greeting)
    while True:
        peer.sendall(message(mix))
        time.sleep(mix.random() / 50)


def nats(mix):
    return b"PUB a.%d 5\r\nhello\r\n" % mix.randrange(9)


def mqtt(mix):
    topic = b"a/%d" % mix.randrange(9)
    return bytes([0x30, 2 + len(topic) + 5]) + struct.pack(">H", len(topic)) + topic + b"hello"


def beanstalk(mix):
    return mix.choice([b"put 1 0 60 5\r\nhello\r\n", b"peek-ready\r\n", b"stats\r\n"])


def redis(mix):
    key = mix.randrange(5000)
    return mix.choice([b"SET k%d %s\r\n" % (key, b"x" * mix.randrange(1, 900)), b"GET k%d\r\n" % key,
                       b"LPUSH l%d a\r\n" % (key % 9), b"LRANGE l%d 0 20\r\n" % (key % 9)])


GREETING = {"nats": b'CONNECT {"verbose":false}\r\nSUB a.> 1\r\n', "beanstalk": b"", "redis": b"",
            "mqtt": bytes([0x10, 12 + 1, 0, 4]) + b"MQTT" + bytes([4, 2, 0, 60, 0, 1]) + b"%c"}


def load(name, port, seed):
    for i in range(6):
        greeting = GREETING[name].replace(b"%c", b"abcdef"[i:i + 1])
        threading.Thread(target=talk, args=(port, seed + i, greeting, globals()[name])).start()


def count(directory):
    runs = alarms = 0
    for name in sorted(os.listdir(directory)):
        path = os.path.join(directory, name, "report.json")
        if not os.path.exists(path):
            continue
        with open(path) as file:
            report = json.load(file)
        findings = report.get("findings", [])
        first = findings[0] if findings else {}
        alarm = report["verdict"] not in ("nothing", "outside", "unknown")
        runs += 1
        alarms += alarm
        print(f"{name:16} {'ALARM' if alarm else 'ok':6} {report['verdict']:10} {first.get('confidence') or '':7} "
              f"{report['basis'].get('requests', '?'):>7} {(first.get('function') or {}).get('name', '') if first else ''}")
    print(f"{alarms} alarms in {runs} runs")
    return 1 if alarms else 0


if __name__ == "__main__":
    if sys.argv[1] == "count":
        sys.exit(count(sys.argv[2]))
    load(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
