# SPDX-License-Identifier: GPL-2.0-only
"""The loads of the cases blind8-*, which sealed.py sends."""
import base64
import socket
import struct
import time

from packaged import datagram, until
from sealed import chat, rarely, stay
from sealed_fourth import exactly
from sealed_more import once
from sealed_sixth import enter_disk
from sealed_seventh import ask, make_reports, one_of


# HTTP
class Acknowledging:
    """A connection to a server that writes an answer in two parts, of which the second waits for the first to be acknowledged."""

    def __init__(self, peer):
        self.peer, self.sendall = peer, peer.sendall

    def recv(self, most):
        self.peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
        return self.peer.recv(most)


def quick(client, path, header=b""):
    peer, new = stay(client)
    if new:
        client.peer = Acknowledging(peer)
    ask(client, b"GET", path, b"", header)


def asks(path, most, header=lambda _: b""):
    """A request for the path; the others ask for a page, and some for a digest. The numbers in paths are below MOST."""
    def request(client):
        if rarely(client):
            quick(client, path % one_of(client, most) if b"%" in path else path, header(client))
        else:
            quick(client, (b"/page/%d" if one_of(client, 10) else b"/digest/%d") % one_of(client, most))
    return request


def asks_once(path):
    """A request, beside the others, to which there may be no answer."""
    def request(client, end):
        time.sleep(1.5)
        try:
            once(client, b"GET", path)
        except OSError:
            print("no answer to", path.decode())
        time.sleep(max(0, end - time.monotonic()))
    return request


def probed(client):
    """Whether a far part answers; the others ask how the server is, and some try one that is near."""
    if rarely(client) or one_of(client, 10) == 0:
        ask(client, b"GET", b"/probe?module=tcp&target=%s" % (b"h%d.far.test:80" % one_of(client, 10 ** 6) if client.rarely else b"127.0.0.1:%d" % client.port))
    else:
        ask(client, b"GET", b"/-/healthy")


# DNS
def questioned(client, name, kind):
    mark = struct.pack(">H", one_of(client, 65536))
    labels = b"".join(bytes([len(part)]) + part for part in name.split(b"."))
    datagram(client, client.port, mark + b"\0\0\0\1\0\0\0\0\0\0" + labels + struct.pack(">BHH", 0, kind, 1), lambda answer: answer[:2] == mark)


def resolved(client):
    """Who sends letters of a name; the others ask for the address of a host, and some for those of twenty."""
    kind = 16 if rarely(client) else 1 if one_of(client, 10) else 15
    questioned(client, b"h%d.near.test" % one_of(client, 50000), kind)


def addressed(client):
    questioned(client, b"h%d.near.test" % one_of(client, 50000), 1 if one_of(client, 10) else 15)


def lettered(client):
    """A text in another script; the others ask for a page, and some for a digest."""
    if rarely(client):
        once(client, b"POST", b"/letters/0", "\u044b\u0436\u044f".encode() * 1000)
    else:
        once(client, b"GET", (b"/page/%d" if one_of(client, 10) else b"/digest/%d") % one_of(client, 1000))


# Lines
def lined(client, words):
    stay(client)[0].sendall(words + b"\n")
    return until(client, b"\n")


def part_of(client):
    lined(client, b"part %d" % one_of(client, 1000) if one_of(client, 10) else b"digest %d" % one_of(client, 1000))


def sold(client):
    """A part is sold; the others ask how many there are, and some for a digest."""
    if rarely(client):
        lined(client, b"sell part%d" % one_of(client, 1000))
    else:
        part_of(client)


def searched(client):
    """Twenty streets of a city; the others ask for a part, and some for a digest."""
    if rarely(client):
        lined(client, b"find lane%d" % one_of(client, 10 ** 6))
    else:
        part_of(client)


def greeted(client):
    """Who says hello; the others ask for a part, and some for a digest."""
    if rarely(client):
        client.peer = client.connect(client.port, "127.9.%d.%d" % (one_of(client, 256), 1 + one_of(client, 250)))
        lined(client, b"hello me")
    else:
        part_of(client)


# NBD
def block_of(client):
    """A block that was not read before; the others read one of a few, and some read sixteen."""
    if not client.peer:
        enter_disk(client)
    rare = rarely(client)
    length = 4096 if rare or one_of(client, 10) else 65536
    client.peer.sendall(struct.pack(">IHH", 0x25609513, 0, 0) + b"blocks.." + struct.pack(">QI", 65536 * (16 + one_of(client, 32000) if rare else one_of(client, 16)), length))
    exactly(client, 16 + length)


# WebSocket
def framed(client, kind, words):
    """What a client sends is masked; a mask of zeros leaves it as it is."""
    client.peer.sendall(struct.pack(">BB", 0x80 | kind, 0x80 | len(words)) + b"\0\0\0\0" + words)


def frame_of(client):
    kind, length = exactly(client, 2)
    if length == 126:
        length = struct.unpack(">H", exactly(client, 2))[0]
    return kind & 15, exactly(client, length)


def opened(client, header=b""):
    client.peer = client.connect(client.port)
    client.peer.sendall(b"GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: %s\r\n%s\r\n"
                        % (base64.b64encode(client.draw.randbytes(16)), header))
    until(client, b"\r\n\r\n")


def spoken(client, words):
    framed(client, 1, words)
    while frame_of(client)[0] != 1:
        pass


def said(client):
    if not client.peer:
        opened(client)
    spoken(client, b"words %d" % one_of(client, 1000) if one_of(client, 10) else b"digest %d" % one_of(client, 1000))


def counted(client):
    """Who is there; the others say something, and some ask for a digest."""
    if not rarely(client):
        return said(client)
    if not client.peer:
        opened(client)
    return spoken(client, b"who")


def enter_late(client, end):
    """One who is there, and takes 25 ms to say so."""
    opened(client)
    spoken(client, b"enter")
    client.peer.settimeout(1)
    while time.monotonic() < end:
        try:
            kind, words = frame_of(client)
        except TimeoutError:
            continue
        if kind == 9:
            time.sleep(0.025)
            framed(client, 10, words)


def offered(client):
    """A new connection that offers protocols with many blanks between; the others say something, and some open one that offers few."""
    if rarely(client) or one_of(client, 20) == 0:
        stayed, client.peer = client.peer, None
        opened(client, b"Sec-WebSocket-Protocol: a%sb\r\n" % (b" " * (3500 if client.rarely else 10)))
        client.peer.close()
        client.peer = stayed
    else:
        said(client)


def wait_turn(client, end):
    time.sleep(1.5)
    opened(client)
    framed(client, 1, b"turn")
    time.sleep(max(0, end - time.monotonic()))


ASKS = {"hypercorn-host": asks(b"/host/h%d.far.test", 10 ** 6), "hypercorn-prices": asks(b"/fresh/h%d.far.test", 10 ** 6), "hypercorn-parts": asks(b"/page/1", 1000),
        "eventlet-friends": asks(b"/friends/%d", 2800), "eventlet-changes": asks(b"/page/1", 2800), "eventlet-log": asks(b"/page/1", 2800),
        "websockets-there": counted,
        "koa-forwarded": asks(b"/secure/%d", 1000, lambda _: b"X-Forwarded-Proto: https%sx\r\n" % (b" " * 4500)), "koa-journal": asks(b"/note/%d", 1000),
        "fasthttp-pattern": asks(b"/match/part%d", 1000), "fasthttp-prices": asks(b"/fresh/h%d.far.test", 10 ** 6), "fasthttp-report": asks(b"/page/1", 1000),
        "godns-zone": addressed, "godns-denied": resolved, "blackbox-names": probed,
        "koa-audit": asks(b"/buy/%d", 1000), "nodews-protocols": offered, "nodews-turn": said,
        "mina-keys": searched, "mina-names": greeted, "mina-parts": part_of,
        "simple-checkpoint": asks(b"/page/1", 50000), "simple-stock": asks(b"/sell/%d", 50000),
        "celluloid-clerk": sold, "asynchttp-address": asks(b"/address/" + b"parts" * 3 + b"%d@", 900), "asynchttp-report": asks(b"/page/1", 1000), "twiggy-letters": lettered, "nbdkit-cache": block_of, "ircd-names": chat}
PREPARE = {}
BESIDE = {"fasthttp-report": make_reports, "asynchttp-report": make_reports, "hypercorn-parts": asks_once(b"/parts/1-x-3"), "eventlet-changes": asks_once(b"/change/1"), "websockets-there": enter_late, "nodews-turn": wait_turn}
