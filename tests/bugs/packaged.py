# SPDX-License-Identifier: GPL-2.0-only
"""What historyload.py asks of servers that speak LDAP, SNMP, SIP, RADIUS, IRC or PostgreSQL's protocol, and the servers
that these ask. A row of ASKS is called with the client of historyload.py; PREPARE runs once, before the load."""
import fcntl
import hashlib
import os
import random
import socket
import struct
import threading
import time


# BER, as LDAP and SNMP use it.
def ber(tag, body):
    size = len(body)
    length = bytes([size]) if size < 128 else b"\x82" + struct.pack(">H", size)
    return bytes([tag]) + length + body


def number(value, tag=2):
    return ber(tag, value.to_bytes(max(1, (value.bit_length() + 8) // 8), "big"))


def text(words, tag=4):
    return ber(tag, words.encode())


def open_datagrams(client, port, patience):
    if not client.peer:
        client.peer = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        client.peer.settimeout(patience)
        client.peer.connect(("127.0.0.1", port))


def datagram(client, port, request, answered, patience=10):
    """Sends it from the client's own socket, and waits for its answer for at most PATIENCE seconds."""
    open_datagrams(client, port, patience)
    client.peer.send(request)
    while not answered(client.peer.recv(65536)):
        pass


def until(client, end):
    got = b""
    while end not in got:
        some = client.peer.recv(65536)
        if not some:
            raise OSError("closed")
        got += some
    return got


# HTTP
def fetch(client, path, header=b""):
    client.peer = client.peer or client.connect(client.port)
    client.peer.sendall(b"GET %s HTTP/1.1\r\nHost: a\r\n%s\r\n" % (path, header))
    head, _, body = until(client, b"\r\n\r\n").partition(b"\r\n\r\n")
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            left = int(line[15:]) - len(body)
            while left > 0:
                left -= len(client.peer.recv(65536))


def tail(client):
    rare = client.is_rare()
    fetch(client, b"/tail/%d/300" % client.draw.randrange(3000) if rare else b"/page/%d/300" % client.draw.randrange(20))


def prepare_tail(client):
    for i in range(3000):
        fetch(client, b"/tail/%d/300" % i)
    for i in range(20000):
        fetch(client, b"/gone/%d" % i, b"X-Ban: yes\r\n")


def variants(client):
    if client.is_rare():
        fetch(client, b"/vary/300", b"X-User: %d\r\n" % client.draw.randrange(1000000, 9000000))
    else:
        fetch(client, b"/page/%d/300" % client.draw.randrange(20))


def prepare_variants(client):
    for i in range(int(os.environ.get("SIZE", 20))):
        fetch(client, b"/vary/300", b"X-User: %d\r\n" % i)


def members(client):
    import base64
    header = b""
    path = b"/page%d.html" % client.draw.randrange(1, 9)
    if client.is_rare():
        path = b"/members" + path
        header = b"Authorization: Basic %s\r\n" % base64.b64encode(b"late:secret")
    with client.connect(client.port) as peer:
        peer.sendall(b"GET %s HTTP/1.0\r\n%s\r\n" % (path, header))
        while peer.recv(65536):
            pass


# LDAP
def ldap(client, operation, result):
    client.count = getattr(client, "count", 1) + 1
    client.peer.sendall(ber(0x30, number(client.count) + operation))
    got = b""
    while True:
        some = client.peer.recv(65536)
        if not some:
            raise OSError("closed")
        got += some
        # A result is the last message; its operation follows the message's number.
        while len(got) > 6:
            size, head = got[1], 2
            if size & 0x80:
                head += size & 0x7F
                size = int.from_bytes(got[2:head], "big")
            if len(got) < head + size:
                break
            kind, got = got[head + 2 + got[head + 1]], got[head + size:]
            if kind == result:
                return


def bind(client):
    if not client.peer:
        client.peer = client.connect(client.port)
        ldap(client, ber(0x60, number(3) + text("cn=admin,dc=x") + text("secret", 0x80)), 0x61)


def search(client, attribute, value):
    bind(client)
    ldap(client, ber(0x63, text("dc=x") + number(2, 10) + number(0, 10) + number(0) + number(0) + ber(1, b"\0")
                     + ber(0xA3, text(attribute) + text(value)) + ber(0x30, text("cn"))), 0x65)


def directory(client):
    one = client.draw.randrange(30000)
    search(client, *(("employeeNumber", f"{one + 100000}") if client.is_rare() else ("uid", f"user{one}")))


def group(client):
    one = client.draw.randrange(30000)
    if not client.is_rare():
        return search(client, "uid", f"user{one}")
    bind(client)
    value = ber(0x30, text("member") + ber(0x31, text(f"uid=new{client.draw.randrange(10 ** 9)},ou=people,dc=x")))
    return ldap(client, ber(0x66, text("cn=all,dc=x") + ber(0x30, ber(0x30, number(0, 10) + value))), 0x67)


# SNMP
def snmp(client, oid):
    body = bytes([oid[0] * 40 + oid[1]])
    for part in oid[2:]:
        groups = [part & 0x7F]
        while part >= 128:
            part >>= 7
            groups.insert(0, part & 0x7F | 0x80)
        body += bytes(groups)
    client.count = getattr(client, "count", 1000) + 1
    ask = ber(0x30, number(1) + text("public") + ber(0xA0, number(client.count) + number(0) + number(0)
              + ber(0x30, ber(0x30, ber(6, body) + b"\x05\0"))))
    mark = number(client.count)
    datagram(client, client.port, ask, lambda answer: mark in answer)


SYSTEM = [(1, 3, 6, 1, 2, 1, 1, n, 0) for n in (1, 3, 4, 5, 6)]
EXTEND = (1, 3, 6, 1, 4, 1, 8072, 1, 3, 2, 3, 1, 1, 4) + tuple(b"slow")
PASSED = (1, 3, 6, 1, 4, 1, 99999, 1)


def watched(client):
    snmp(client, EXTEND if client.is_rare() else client.draw.choice(SYSTEM))


def passed(client):
    snmp(client, PASSED + (client.draw.randrange(10 ** 6),) if client.is_rare() else client.draw.choice(SYSTEM))


# SIP
def sip(client, method, user):
    client.count = getattr(client, "count", 0) + 1
    call = b"%d-%d" % (id(client), client.count)
    open_datagrams(client, client.port, 4)
    here = b"127.0.0.1:%d" % client.peer.getsockname()[1]
    lines = (b"%s sip:%s@127.0.0.1:%d SIP/2.0" % (method, user, client.port), b"Via: SIP/2.0/UDP %s;branch=z9hG4bK%s" % (here, call),
             b"Max-Forwards: 9", b"From: <sip:a@a>;tag=%s" % call, b"To: <sip:b@b>", b"Call-ID: %s" % call,
             b"CSeq: 1 %s" % method, b"Contact: <sip:a@%s>" % here, b"Content-Length: 0", b"", b"")
    datagram(client, client.port, b"\r\n".join(lines), lambda answer: call in answer and not answer.startswith(b"SIP/2.0 1"))


def calls(client):
    sip(client, b"OPTIONS", b"near")


def call_far(client, end):
    """Calls for another domain, which another server answers, each two seconds or so; a domain of its own each time."""
    from historyload import Client
    other = Client(client.port, client.back, 0, random.Random(7))
    while time.monotonic() < end:
        time.sleep(client.draw.uniform(1.5, 2.5))
        try:
            sip(other, b"MESSAGE", b"far%d" % client.draw.randrange(10 ** 6))
        except OSError:
            pass


# RADIUS
SECRET = b"testing123"


def radius(client, port, code, pairs):
    client.count = (getattr(client, "count", 0) + 1) % 256
    mark = os.urandom(16)
    body = b"".join(bytes([kind, len(value) + 2]) + value for kind, value in pairs)
    if code == 1:
        pad = hashlib.md5(SECRET + mark).digest()
        secret = bytes(a ^ b for a, b in zip(b"secret".ljust(16, b"\0"), pad))
        body += bytes([2, 18]) + secret
    head = struct.pack(">BBH", code, client.count, 20 + len(body))
    if code == 4:
        mark = hashlib.md5(head + bytes(16) + body + SECRET).digest()
    wanted = client.count
    datagram(client, port, head + mark + body, lambda answer: answer[1] == wanted, 1)


def login(client):
    name = b"late" if client.is_rare() else b"user%d" % client.draw.randrange(1, 50)
    radius(client, client.port, 1, [(1, name), (4, b"\x7f\0\0\1"), (30, b"00-11-22-33-44-55:net")])


def account(client):
    one = client.draw.randrange(10 ** 6)
    line = b"slow" if client.is_rare() else b"fast"
    radius(client, client.port, 4, [(1, b"user1"), (4, b"\x7f\0\0\1"), (40, struct.pack(">I", 3)), (44, b"%d" % one), (87, line)])


def keep_locked(client, end):
    """A reader of one log, which locks it for a while each half second."""
    while time.monotonic() < end:
        time.sleep(client.draw.uniform(0.3, 0.7))
        with open(os.environ["LOCKED"], "a+b") as log:
            fcntl.lockf(log, fcntl.LOCK_EX)
            time.sleep(0.15)


# IRC
def chat(client):
    if client.is_rare():
        with client.connect(client.port) as peer:
            kept, client.peer = client.peer, peer
            try:
                enter(client)
                peer.sendall(b"QUIT :bye\r\n")
                while peer.recv(65536):
                    pass
            finally:
                client.peer = kept
    else:
        if not client.peer:
            client.peer = client.connect(client.port)
            enter(client)
        client.peer.sendall(b"PING :%d\r\n" % client.draw.randrange(10 ** 6))
        until(client, b"PONG")


def enter(client):
    client.peer.sendall(b"NICK n%d\r\nUSER guest 0 * :A guest of the house\r\n" % client.draw.randrange(10 ** 8))
    until(client, b" 422 ")


# PostgreSQL
def query(client):
    if not client.peer:
        client.peer = client.connect(client.port)
        start_session(client.peer, b"app")
        client.peer.recv(100)
        client.peer.sendall(b"p" + struct.pack(">I", 11) + b"secret\0")
        until(client, b"Z\0\0\0\5I")
    client.peer.sendall(b"Q\0\0\0\x0dSELECT 1\0")
    until(client, b"Z\0\0\0\5I")


def start_session(peer, user):
    body = struct.pack(">I", 196608) + b"user\0" + user + b"\0database\0shop\0\0"
    peer.sendall(struct.pack(">I", len(body) + 4) + body)


def log_in(client, end):
    """Users who are looked up slowly: 25 at once, then one each second and a half."""
    kept = []
    time.sleep(3)
    for i in range(10 ** 6):
        if time.monotonic() > end:
            break
        time.sleep(client.draw.uniform(1, 2) if i >= 25 else 0.01)
        peer = client.connect(client.port)
        peer.setblocking(True)
        start_session(peer, b"other")
        kept.append(peer)
        threading.Thread(target=give_password, args=(peer,), daemon=True).start()


def give_password(peer):
    try:
        if peer.recv(100)[:1] == b"R":
            peer.sendall(b"p\0\0\0\x0bsecret\0")
            peer.recv(1000)
    except OSError:
        pass
    peer.close()


def serve_database(peer):
    """A database that has one answer."""
    def take():
        got = b""
        while len(got) < 4:
            some = peer.recv(4 - len(got))
            if not some:
                raise OSError("closed")
            got += some
        return peer.recv(int.from_bytes(got, "big") - 4)

    try:
        take()
        greeting = b"R\0\0\0\x08\0\0\0\0"
        for name, value in (("server_version", "15.1"), ("client_encoding", "UTF8"), ("standard_conforming_strings", "on"),
                            ("DateStyle", "ISO"), ("TimeZone", "UTC"), ("integer_datetimes", "on")):
            pair = name.encode() + b"\0" + value.encode() + b"\0"
            greeting += b"S" + struct.pack(">I", len(pair) + 4) + pair
        peer.sendall(greeting + b"K\0\0\0\x0c\0\0\0\1\0\0\0\2Z\0\0\0\5I")
        while peer.recv(1) == b"Q":
            take()
            peer.sendall(b"C\0\0\0\x0dSELECT 1\0Z\0\0\0\5I")
    except OSError:
        pass
    peer.close()


def serve_cached(peer):
    """HTTP that stays open; what lies below /vary differs by user."""
    try:
        while True:
            asked = peer.recv(65536)
            if not asked:
                break
            path = asked.split()[1]
            length = int(path.rpartition(b"/")[2] or 100)
            vary = b"Vary: X-User\r\n" if path.startswith(b"/vary") else b""
            peer.sendall(b"HTTP/1.1 200 OK\r\n%sContent-Length: %d\r\n\r\n" % (vary, length) + b"x" * length)
    except (OSError, IndexError, ValueError):
        pass
    peer.close()


def serve_calls(port):
    """The far end of calls: it takes all of them."""
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind(("127.0.0.1", port))
    while True:
        asked, where = server.recvfrom(65536)
        kept = [line for line in asked.split(b"\r\n")
                if line.split(b":")[0].lower() in (b"via", b"from", b"to", b"call-id", b"cseq")]
        server.sendto(b"\r\n".join([b"SIP/2.0 200 OK", *kept, b"Content-Length: 0", b"", b""]), where)


ASKS = {"tail": tail, "variants": variants, "members": members, "directory": directory, "group": group, "watched": watched,
        "passed": passed, "calls": calls, "login": login, "account": account, "chat": chat, "query": query}
PREPARE = {"tail": prepare_tail, "variants": prepare_variants}
BESIDE = {"calls": call_far, "account": keep_locked, "query": log_in}
