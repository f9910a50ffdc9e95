# SPDX-License-Identifier: GPL-2.0-only
"""The loads of the cases blind9-*, which sealed.py sends."""
import os
import socket
import struct
import threading
import time
import zlib

from packaged import until
from sealed import hold_many, rarely, stay
from sealed_eighth import asks
from sealed_fourth import exactly
from sealed_more import once
from sealed_seventh import one_of


SIZE = int(os.environ.get("SIZE", 20))
KEPT = []


# FastCGI
def pair(name, value):
    return struct.pack(">BB", len(name), len(value)) + name + value


def fcgi(client, path, cookie=b""):
    pairs = (pair(b"SCRIPT_FILENAME", os.environ["SCRIPT"].encode()) + pair(b"REQUEST_METHOD", b"GET") + pair(b"REQUEST_URI", path)
             + pair(b"QUERY_STRING", b"") + pair(b"HTTP_COOKIE", cookie))
    with client.connect(client.port) as client.peer:
        client.peer.sendall(struct.pack(">BBHHBB", 1, 1, 1, 8, 0, 0) + struct.pack(">HB5x", 1, 0) + struct.pack(">BBHHBB", 1, 4, 1, len(pairs), 0, 0) + pairs
                            + struct.pack(">BBHHBB", 1, 4, 1, 0, 0, 0) + struct.pack(">BBHHBB", 1, 5, 1, 0, 0, 0))
        while True:
            _, kind, _, length, pad, _ = struct.unpack(">BBHHBB", exactly(client, 8))
            exactly(client, length + pad)
            if kind == 3:
                break
    client.peer = None


def scripts(path):
    """A script's rare page; the others ask for a page, a basket or a digest."""
    def request(client):
        cookie = b"PHPSESSID=guest%d" % one_of(client, 4 if rarely(client) else 40)
        kind = path if client.rarely else (b"digest", b"basket", b"basket")[one_of(client, 3)] if one_of(client, 10) < 3 else b"page"
        fcgi(client, b"/%s/%d" % (kind, one_of(client, 1000)), cookie)
    return request


def lock_twice(client, end):
    """Parts are listed while one is set, until the lock is taken in that order."""
    from historyload import Client
    time.sleep(1.5)

    waits = [b"/list/1", b"/set/b"]

    def one(path):
        try:
            once(Client(client.port, 0, 0, client.draw), b"GET", path)
            waits.remove(path)
        except OSError:
            pass
    for path in list(waits):
        threading.Thread(target=one, args=(path,), daemon=True).start()
        time.sleep(0.03)
    time.sleep(max(0, end - time.monotonic()))
    if waits:
        print("no answer to", *waits)


# NSCA and NRPE
def checked(client):
    """What a check of a host found; most hosts have an address, and some have a name."""
    host = b"h%d.far.test" % one_of(client, 10 ** 6) if rarely(client) else b"127.0.0.1"
    with client.connect(client.port) as client.peer:
        when = exactly(client, 132)[128:]
        parts = (when, struct.pack(">h64s128s4096s2x", 0, host, b"disk", b"there is room " * one_of(client, 200)))
        summed = zlib.crc32(struct.pack(">h2xI", 3, 0) + b"".join(parts))
        client.peer.sendall(struct.pack(">h2xI", 3, summed) + b"".join(parts))
        client.peer.shutdown(socket.SHUT_WR)
        while client.peer.recv(1000):
            pass
    client.peer = None


def commanded(client, words, source=""):
    asked = struct.pack(">h1024s2x", 0, words)
    with client.connect(client.port, source) as client.peer:
        client.peer.sendall(struct.pack(">hhI", 2, 1, zlib.crc32(struct.pack(">hhI", 2, 1, 0) + asked)) + asked)
        exactly(client, 1036)
    client.peer = None


def monitored(client):
    """A question of a host that may not ask; the others are of this one, and some have a program run."""
    if not rarely(client):
        commanded(client, b"near" if one_of(client, 10) == 0 else b"_NRPE_CHECK")
        return
    try:
        commanded(client, b"_NRPE_CHECK", "127.0.0.2")
    except OSError:
        client.peer = None


def ask_long(client, end):
    time.sleep(1.5)
    try:
        commanded(client, b"long")
    except OSError:
        print("no answer to long")
    time.sleep(max(0, end - time.monotonic()))


# Ident
def of_whom(client):
    """A connection that is not there; the others ask for their own."""
    with client.connect(client.port) as client.peer:
        mine = client.peer.getsockname()[1]
        client.peer.sendall(b"%d , %d\r\n" % (1 + one_of(client, 1000), mine) if rarely(client) else b"%d , %d\r\n" % (client.port, mine))
        until(client, b"\r\n")
        client.peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    client.peer = None


# Web pages of hosts
def hosts(client):
    """All hosts; the others ask for the first thirty, or for one of them."""
    path = b"/hosts/?full=yes" if rarely(client) else b"/hosts/127.9.0.1/" if one_of(client, 3) == 0 else b"/style.css"
    once(client, b"GET", path)


def see_hosts(client):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as peer:
        for i in range(SIZE):
            peer.sendto(b"x" * (1 + i % 50), ("127.9.%d.%d" % (i // 250, 1 + i % 250), 9))
            if i % 50 == 0:
                time.sleep(0.005)
    time.sleep(1)


def named(client):
    """One of another host; the others are of this one."""
    with client.connect(client.port, "127.0.0.%d" % (2 + one_of(client, 200)) if rarely(client) else "127.0.0.1") as client.peer:
        client.peer.sendall(b"%d , %d\r\n" % (client.port, client.peer.getsockname()[1]))
        until(client, b"\r\n")
        client.peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    client.peer = None


# Lines
def rewritten(client):
    """An address for one who sends letters on."""
    stay(client)[0].sendall(b"get who%d@far%d.test\n" % (one_of(client, 10 ** 6), one_of(client, 1000)))
    until(client, b"\n")


def ask_twice(client, end):
    """Two addresses at once, of which the second gets no answer."""
    time.sleep(1.5)
    with client.connect(client.port) as client.peer:
        client.peer.sendall(b"get one@far.test\nget two@far.test\n")
        client.peer.settimeout(max(1, end - time.monotonic() - 1))
        try:
            got = b""
            while got.count(b"\n") < 2:
                got += until(client, b"\n")
        except OSError:
            print("no answer to the second address")


# ICAP
def adapted(client, header):
    peer, _ = stay(client)
    asked = b"GET http://near.test/page/%d HTTP/1.1\r\nHost: near.test\r\n\r\n" % one_of(client, 1000)
    peer.sendall(b"REQMOD icap://127.0.0.1/echo ICAP/1.0\r\nHost: a\r\nAllow: 204\r\n%sEncapsulated: req-hdr=0, null-body=%d\r\n\r\n%s" % (header, len(asked), asked))
    until(client, b"\r\n\r\n")


def icap(client):
    adapted(client, b"X-Far: words%dyz\r\n" % one_of(client, 1000) if rarely(client) else b"")


# D-Bus
def aligned(words, to):
    return words + b"\0" * (-len(words) % to)


def dbus_string(words):
    return struct.pack("<I", len(words)) + words + b"\0"


def dbus(client, kind, fields, body=b""):
    """Fields are pairs of a code and a value; those of type o and s, and the signature of the body."""
    client.serial = getattr(client, "serial", 0) + 1
    packed = b""
    for code, value in fields + ([(8, b"s")] if body else []):
        packed = aligned(packed, 8) + struct.pack("<BB", code, 1) + ({1: b"o", 8: b"g"}.get(code, b"s")) + b"\0"
        packed = packed + bytes([len(value)]) + value + b"\0" if code == 8 else aligned(packed, 4) + dbus_string(value)
    client.peer.sendall(aligned(struct.pack("<cBBBIII", b"l", kind, 0, 1, len(body), client.serial, len(packed)) + packed, 8) + body)
    return client.serial


def dbus_answer(client, serial):
    """Reads until the answer to that call came."""
    while True:
        head = exactly(client, 16)
        _, kind, _, _, length, _, fields = struct.unpack("<cBBBIII", head)
        rest = exactly(client, fields + -fields % 8 + length)
        if kind in (2, 3) and struct.pack("<BB", 5, 1) + b"u\0" + struct.pack("<I", serial) in rest[:fields]:
            return kind


BUS = [(1, b"/org/freedesktop/DBus"), (2, b"org.freedesktop.DBus"), (6, b"org.freedesktop.DBus")]


def enter_bus(client):
    client.peer = client.connect(client.port)
    client.peer.sendall(b"\0AUTH ANONYMOUS 6e\r\n")
    until(client, b"\r\n")
    client.peer.sendall(b"BEGIN\r\n")
    dbus_answer(client, dbus(client, 1, BUS + [(3, b"Hello")]))


def signalled(client):
    """News of parts; the others are of pages, and some ask who is there."""
    if not client.peer:
        enter_bus(client)
    if rarely(client) or one_of(client, 2):
        dbus(client, 4, [(1, b"/shop"), (2, b"test.far.Parts" if client.rarely else b"test.near.Pages"), (3, b"Came%d" % one_of(client, 1000))])
    dbus_answer(client, dbus(client, 1, BUS + [(3, b"ListNames" if one_of(client, 10) == 0 else b"GetId")]))


def want_many(client):
    """One who wants to hear of SIZE parts."""
    enter_bus(client)
    for at in range(SIZE):
        serial = dbus(client, 1, BUS + [(3, b"AddMatch")], dbus_string(b"type='signal',interface='test.far.Parts',member='Left%d'" % at))
        if at % 50 == 49 or at == SIZE - 1:
            dbus_answer(client, serial)
    KEPT.append(client.peer)


# Gearman
def gearman(client, kind, *words):
    body = b"\0".join(words)
    stay(client)[0].sendall(b"\0REQ" + struct.pack(">II", kind, len(body)) + body)
    _, answer, length = struct.unpack(">4sII", exactly(client, 12))
    exactly(client, length)
    return answer


def submitted(client):
    """A job for a function that came early; the others are for the last of them, and some are an echo."""
    if rarely(client):
        gearman(client, 18, b"far%05d" % one_of(client, 50), b"one", b"a part")
    elif one_of(client, 10) < 3:
        gearman(client, 16, b"echo" * one_of(client, 500))
    else:
        gearman(client, 18, b"near%04d" % one_of(client, 20), b"one", b"a part")


def make_functions(client):
    peer, _ = stay(client)
    for i in range(SIZE + 20):
        peer.sendall(b"create function %s\r\n" % (b"far%05d" % i if i < SIZE else b"near%04d" % (i - SIZE)))
        until(client, b"\n")


# Valkey
def told(client, *words):
    stay(client)[0].sendall(b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in words))
    return until(client, b"\r\n")


def published(client):
    """Something is published; the others get and set keys."""
    if rarely(client):
        told(client, b"PUBLISH", b"part%d" % one_of(client, 1000), b"came")
    elif one_of(client, 5) == 0:
        told(client, b"SET", b"page%d" % one_of(client, 1000), b"words " * (1 + one_of(client, 50)))
    else:
        told(client, b"INCR", b"count%d" % one_of(client, 1000))


def listen_many(client):
    """One who listens to SIZE patterns, of which none is of what is published."""
    stay(client)
    for at in range(0, SIZE, 20):
        client.peer.sendall(b"".join(b"*2\r\n$10\r\nPSUBSCRIBE\r\n$%d\r\n%s\r\n" % (len(word), word) for word in (b"page*of*%d" % i for i in range(at, min(SIZE, at + 20)))))
        until(client, b":%d\r\n" % min(SIZE, at + 20))
    KEPT.append(client.peer)


def store_many(client):
    stay(client)[0].settimeout(60)
    told(client, b"DEBUG", b"POPULATE", os.environ["KEYS"].encode(), b"old")


def save_often(client, end):
    while time.monotonic() < end:
        time.sleep(client.draw.uniform(3, 4))
        told(client, b"SAVE")


ASKS = {"phpfpm-session": scripts(b"pay"), "phpfpm-merge": scripts(b"list"),
        "fastify-settings": asks(b"/price/%d", 9000), "fastify-stock": asks(b"/price/%d", 9000),
        "gin-templates": asks(b"/catalogue/%d", 1000), "gin-parts": asks(b"/catalogue/%d", 1000),
        "fastapi-program": asks(b"/picture/%d", 1000), "fastapi-list": asks(b"/list/%d", 1000),
        "gevent-backup": asks(b"/words/%d", 1000), "gevent-words": asks(b"/words/%d", 1000),
        "nsca-strict": checked, "nrpe-hosts": monitored, "nrpe-pipe": monitored, "oidentd-table": of_whom, "darkstat-hosts": hosts, "postsrsd-pending": rewritten,
        "oidentd-reverse": named,
        "cicap-patterns": icap, "cicap-log": icap, "dbus-rules": signalled, "dbus-files": signalled,
        "gearmand-functions": submitted, "gearmand-files": submitted, "valkey-patterns": published, "valkey-save": published}
PREPARE = {"darkstat-hosts": see_hosts, "dbus-rules": want_many, "gearmand-functions": make_functions,
           "valkey-patterns": listen_many, "valkey-save": store_many}
BESIDE = {"gin-parts": lock_twice, "nrpe-pipe": ask_long, "postsrsd-pending": ask_twice, "dbus-files": hold_many, "gearmand-files": hold_many,
          "valkey-save": save_often}
