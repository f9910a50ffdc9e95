# SPDX-License-Identifier: GPL-2.0-only
"""The loads of the cases blind4-*, which sealed.py sends."""
import os
import pickle
import socket
import struct
import subprocess
import time

from sealed import KEPT, SIZE, hold_many, rarely, stay, web
from sealed_more import once


def exactly(client, length):
    got = b""
    while len(got) < length:
        some = client.peer.recv(length - len(got))
        if not some:
            raise OSError("closed")
        got += some
    return got


# DHCP, as a relay sends it: each client is a relay with an address of its own, at which it is answered.
def leased(client):
    if not client.peer:
        client.here = "127.2.%d.%d" % (client.draw.randrange(256), client.draw.randrange(1, 255))
        client.peer = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        client.peer.settimeout(10)
        client.peer.bind((client.here, client.port + 1))
    rare = rarely(client)
    mark = struct.pack(">I", client.draw.randrange(2 ** 32))
    who = b"\2" + bytes([2, 0, 0]) + struct.pack(">H", client.draw.randrange(2 ** 16)) if rare else b"\2\1\0\0\0" + bytes([client.draw.randrange(20)])
    link = socket.inet_aton("10.2.0.0" if rare else "10.1.0.0")
    client.peer.sendto(b"\1\1\6\1" + mark + bytes(16) + socket.inet_aton(client.here) + who.ljust(16, b"\0") + bytes(192)
                       + b"\x63\x82\x53\x63\x35\1\1\x52\6\5\4" + link + b"\xff", ("127.0.0.1", client.port))
    while client.peer.recv(4096)[4:8] != mark:
        pass


# HTTP
def downloads(client):
    body = b'{"jsonrpc":"2.0","id":"a","method":"aria2.%s"}' % (b"getVersion" if rarely(client) else b"getGlobalStat")
    web(client, b"POST", b"/jsonrpc", body)


def exported(client):
    once(client, b"GET", b"/metrics?collect%5B%5D=" + (b"textfile" if rarely(client) else b"time"))


def flights(client):
    once(client, b"GET", b"/flights/%s/x" % (b"-" * 2500) if rarely(client) else b"/page/%d" % client.draw.randrange(1000))


def form(client):
    kind = b'; !="' + b"\\" * 24 if rarely(client) else b"; charset=utf-8"
    once(client, b"POST", b"/form", b"name=ann&age=7", b"Content-Type: application/x-www-form-urlencoded%s\r\n" % kind)


def known(client):
    web(client, b"GET", b"/known/h%d.far.test" % client.draw.randrange(10 ** 6) if rarely(client) else b"/known/127.0.0.1")


# carbon-cache: pickles with their length before them; values come by lines.
def cached(client):
    peer, _ = stay(client)
    asked = pickle.dumps({"type": "cache-query", "metric": "m%d.count" % client.draw.randrange(SIZE)}, 2)
    peer.sendall(struct.pack(">I", len(asked)) + asked)
    exactly(client, struct.unpack(">I", exactly(client, 4))[0])


def values(client, numbers):
    now = time.time()
    KEPT[0].sendall(b"".join(b"m%d.count 1 %d\n" % (number, now) for number in numbers))


def fill_cache(client):
    KEPT.append(client.connect(client.port + 1))
    values(client, range(SIZE))
    KEPT.append(None)
    time.sleep(1)


def send_values(client, end):
    """Thirty values, ten times a second."""
    while time.monotonic() < end:
        time.sleep(0.1)
        values(client, [client.draw.randrange(SIZE) for _ in range(30)])


# ZooKeeper: commands of four letters, each on a connection; watches by the protocol of its sessions.
def commanded(client):
    with client.connect(client.port) as peer:
        peer.sendall(b"wchp" if rarely(client) else b"srvr")
        while peer.recv(65536):
            pass


def framed(client, body):
    client.peer.sendall(struct.pack(">I", len(body)) + body)
    exactly(client, struct.unpack(">I", exactly(client, 4))[0])


def watch_many(client):
    """A session that watches SIZE nodes that are not there."""
    KEPT.append(stay(client)[0])
    framed(client, struct.pack(">iqiqi", 0, 0, 400000, 0, 16) + bytes(16))
    for number in range(SIZE):
        path = b"/parts/number%d" % number
        framed(client, struct.pack(">iii", number + 1, 3, len(path)) + path + b"\1")


# Groonga
def memos(client):
    key = b"/d/select?table=Memos&query=_key:k%d" % client.draw.randrange(2000)
    once(client, b"GET", key + (b"&output_columns=words" if rarely(client) else b""))


def write_memo(client, end):
    """A memo for a table that another program, in the case, has left locked."""
    time.sleep(1.5)
    store = os.readlink("/proc/%s/fd/1" % os.environ["SERVER"]).rpartition("/")[0]
    if os.path.exists(store + "/locked"):
        subprocess.run(["groonga", store + "/memos", "lock_acquire", "Memos"], stdout=subprocess.DEVNULL, check=False)
    once(client, b"GET", b"/d/load?table=Memos&values=%5B%7B%22_key%22:%22new%22,%22words%22:%22x%22%7D%5D")
    time.sleep(max(0, end - time.monotonic()))


# Icecast
def listeners(client):
    """The music does not play; the answer says so at once, or after a check of the password."""
    if rarely(client):
        once(client, b"GET", b"/music", b"", b"Authorization: Basic YW5uOnNlY3JldA==\r\n")
    else:
        once(client, b"GET", b"/page.txt")


ASKS = {"kea-full": leased, "aria2-session": downloads, "exporter-files": exported, "express-route": flights, "starlette-options": form,
        "tornado-names": known, "carbon-max": cached, "zookeeper-watches": commanded, "tornado-files": known,
        "groonga-locked": memos, "icecast-listeners": listeners}
PREPARE = {"carbon-max": fill_cache, "zookeeper-watches": watch_many}
BESIDE = {"carbon-max": send_values, "groonga-locked": write_memo, "tornado-files": hold_many}
