# SPDX-License-Identifier: GPL-2.0-only
"""The loads of the cases blind7-*, which sealed.py sends."""
import json
import socket
import struct
import time

from packaged import datagram, until
from sealed import KEPT, SIZE, dns, hold_many, rarely, stay
from sealed_fourth import exactly
from sealed_more import once
from sealed_sixth import home


def one_of(client, many):
    return client.draw.randrange(many)


def ask(client, method, path, body=b"", header=b""):
    """A request by HTTP on the client's connection; the head and the body of its answer."""
    peer, _ = stay(client)
    peer.sendall(b"%s %s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: %d\r\n%s\r\n%s" % (method, path, len(body), header, body))
    head, _, body = until(client, b"\r\n\r\n").partition(b"\r\n\r\n")
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            while len(body) < int(line[15:]):
                some = peer.recv(65536)
                if not some:
                    raise OSError("closed")
                body += some
    return head, body


# Transmission
def shared(client):
    """The names of 300 files; the others ask for one, and some for the settings."""
    draw = client.draw
    if rarely(client):
        first = draw.randrange(SIZE - 300)
        question = {"method": "torrent-get", "arguments": {"fields": ["id", "name"], "ids": list(range(first, first + 300))}}
    elif one_of(client, 10) == 0:
        question = {"method": "session-get"}
    else:
        question = {"method": "torrent-get", "arguments": {"fields": ["id", "name"], "ids": [draw.randrange(1, 20)]}}
    head, body = ask(client, b"POST", b"/transmission/rpc", json.dumps(question).encode(), getattr(client, "mark", b""))
    if b" 409 " in head[:16]:
        client.mark = next(line + b"\r\n" for line in head.split(b"\r\n") if line.lower().startswith(b"x-transmission-session-id"))
        shared(client)
    elif b"success" not in body:
        raise OSError("refused")


# DNS
def denied(client):
    """A name that is not there; the others ask for one that is, and some for one that has twenty addresses. All want signatures."""
    if rarely(client):
        name = b"far%d.near.test" % one_of(client, 10 ** 9)
    else:
        name = b"h%d.near.test" % one_of(client, 200) if one_of(client, 10) else b"many.near.test"
    mark = struct.pack(">H", one_of(client, 65536))
    labels = b"".join(bytes([len(part)]) + part for part in name.split(b"."))
    datagram(client, client.port, mark + b"\0\0\0\1\0\0\0\0\0\1" + labels + b"\0\0\1\0\1" + b"\0\0\x29\x10\0\0\0\x80\0\0\0",
             lambda answer: answer[:2] == mark)


# Milter
def milter(client, kind, body=b""):
    client.peer.sendall(struct.pack(">I", len(body) + 1) + kind + body)


def milter_answer(client):
    """It writes an answer in parts, each of which waits for the one before to be acknowledged."""
    client.peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
    length = struct.unpack(">I", exactly(client, 4))[0]
    return exactly(client, length)[:1]


def signed(client):
    """A letter of a sender who is in no pattern; the others are in the first, and some send longer letters."""
    peer, new = stay(client)
    if new:
        milter(client, b"O", struct.pack(">III", 6, 0x1ff, 0))
        milter_answer(client)
        milter(client, b"C", b"near.test\x004" + struct.pack(">H", 25) + b"127.0.0.1\0")
        milter_answer(client)
    who = b"ann@last.test" if rarely(client) else b"ann@first.test"
    steps = [(b"M", b"<%s>\0" % who), (b"R", b"<bob@near.test>\0"), (b"L", b"From\0%s\0" % who), (b"L", b"Subject\0words\0"),
             (b"L", b"Date\0Mon, 30 Nov 2026 10:00:00 +0000\0"), (b"N", b""), (b"B", b"words of a letter\r\n" * (20 if one_of(client, 10) else 2000)), (b"E", b"")]
    for kind, body in steps:
        milter(client, kind, body)
        got = milter_answer(client)
        while kind == b"E" and got not in b"acdrty":
            got = milter_answer(client)
        if got == b"a":
            break


# RELP
def relp(client, words, body):
    client.count = getattr(client, "count", 0) % 999999990 + 1
    client.peer.sendall(b"%d %s %d %s\n" % (client.count, words, len(body), body))
    end = b""
    while not end.startswith(b"%d rsp" % client.count):
        end = until(client, b"\n")


def logged(client):
    """A line of a log; some are longer than the others."""
    _, new = stay(client)
    if new:
        client.count = 0
        relp(client, b"open", b"relp_version=0\nrelp_software=parts\ncommands=syslog")
    relp(client, b"syslog", b"<13>Nov 30 10:00:00 near part: %d %s" % (one_of(client, 10 ** 6), client.draw.randbytes(700 if one_of(client, 10) else 1800).hex().encode()))


# Fossil
def annotated(client):
    """Who changed each line of a file; the others ask for a file, and some for what happened last."""
    if not hasattr(client, "human"):
        with open(home() + "/human", "rb") as kept:
            client.human = b"Cookie: %s\r\n" % kept.read().strip()
    if rarely(client):
        once(client, b"GET", b"/annotate?filename=parts.txt&checkin=trunk&limit=none", b"", client.human)
    else:
        once(client, b"GET", b"/raw?ci=trunk&filename=words.txt" if one_of(client, 10) else b"/timeline?n=20")


# SpamAssassin
def judged(client):
    """A letter from far; the others are of a near host, and some are longer."""
    where = b"203.0.%d.%d" % (one_of(client, 256), one_of(client, 256)) if rarely(client) else b"10.0.0.7"
    letter = (b"Received: from a.test (a.test [%s]) by near.test with SMTP id 1 for <ann@near.test>; Mon, 30 Nov 2026 10:00:00 +0000\r\n"
              b"From: bob@a.test\r\nSubject: words\r\nMessage-Id: <%d@a.test>\r\n\r\n" % (where, one_of(client, 10 ** 9)))
    letter += b"words of a letter\r\n" * (20 if one_of(client, 10) else 300)
    with client.connect(client.port) as client.peer:
        client.peer.sendall(b"CHECK SPAMC/1.5\r\nContent-length: %d\r\n\r\n%s" % (len(letter), letter))
        until(client, b"Spam: ")
    client.peer = None


# SMTP
def said(client, words, end=b"\r\n"):
    client.peer.sendall(words + b"\r\n")
    return until(client, end)


def mailed(client):
    """A letter is announced by a domain; the others are about letters that came back, and some are for twenty people."""
    _, new = stay(client)
    if new:
        until(client, b"\r\n")
        said(client, b"EHLO a.test", b"250 HELP\r\n")
    who = b"bob@d%d.far.test" % one_of(client, 10 ** 9) if rarely(client) else b""
    said(client, b"MAIL FROM:<%s>" % who)
    for _ in range(1 if one_of(client, 10) else 20):
        if said(client, b"RCPT TO:<ann%d@near.test>" % one_of(client, 100))[:3] != b"250":
            raise OSError("refused")
    said(client, b"RSET")


# PostgreSQL's protocol
def sql(client, words):
    """A statement, and its answer."""
    peer, new = stay(client)
    if new:
        start = struct.pack(">I", 196608) + b"user\0sa\0database\0parts\0\0"
        peer.sendall(struct.pack(">I", len(start) + 4) + start)
        exactly(client, 9)
        peer.sendall(b"p" + struct.pack(">I", 5) + b"\0")
        until_ready(client)
    peer.sendall(b"Q" + struct.pack(">I", len(words) + 5) + words + b"\0")
    until_ready(client)


def until_ready(client):
    """It writes an answer in parts, each of which waits for the one before to be acknowledged."""
    kind = b""
    while kind != b"Z":
        client.peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
        kind = exactly(client, 1)
        body = exactly(client, struct.unpack(">I", exactly(client, 4))[0] - 4)
        if kind == b"E":
            raise OSError(body)


def make_table(client):
    sql(client, b"CREATE TABLE part (id INT PRIMARY KEY, name VARCHAR)")
    sql(client, b"INSERT INTO part SELECT \"X\", 'part ' || \"X\" || ' ' || REPEAT('words ', 100) FROM SYSTEM_RANGE(1, 12000)")


def chosen(client):
    """A row; some ask for a hundred."""
    first = 1 + one_of(client, 11000)
    sql(client, b"SELECT name FROM part WHERE id = %d" % first if one_of(client, 10)
        else b"SELECT COUNT(name) FROM part WHERE id BETWEEN %d AND %d" % (first, first + 100))


def copy_database(client, end):
    while time.monotonic() < end:
        time.sleep(3)
        sql(client, b"SET EXCLUSIVE %d" % SIZE)
        sql(client, b"BACKUP TO '%s/copy.zip'" % home().encode())
        sql(client, b"SET EXCLUSIVE 0")


# AMQP
def short(words):
    return bytes([len(words)]) + words


def table(**fields):
    body = b"".join(short(key.encode()) + b"S" + struct.pack(">I", len(value)) + value for key, value in fields.items())
    return struct.pack(">I", len(body)) + body


def frame(kind, channel, body):
    return struct.pack(">BHI", kind, channel, len(body)) + body + b"\xce"


def method(client, channel, one, other, body=b"", answer=True):
    client.peer.sendall(frame(1, channel, struct.pack(">HH", one, other) + body))
    return framed(client) if answer else None


def framed(client):
    _, _, length = struct.unpack(">BHI", exactly(client, 7))
    return exactly(client, length + 1)


def amqp(client):
    peer, new = stay(client)
    if new:
        peer.sendall(b"AMQP\0\0\x09\1")
        framed(client)
        method(client, 0, 10, 11, table() + short(b"PLAIN") + struct.pack(">I", 12) + b"\0guest\0guest" + short(b"en_US"))
        method(client, 0, 10, 31, struct.pack(">HIH", 2047, 131072, 0), False)
        method(client, 0, 10, 40, short(b"/") + b"\0\0")
        method(client, 1, 20, 10, b"\0")
        method(client, 1, 85, 10, b"\0")
    return peer


def bind_many(client):
    amqp(client)
    method(client, 1, 40, 10, b"\0\0" + short(b"parts") + short(b"headers") + b"\0" + table())
    method(client, 1, 40, 10, b"\0\0" + short(b"pages") + short(b"headers") + b"\0" + table())
    method(client, 1, 50, 10, b"\0\0" + short(b"kept") + b"\0" + table())
    for number in range(SIZE):
        method(client, 1, 50, 20, b"\0\0" + short(b"kept") + short(b"parts") + short(b"") + b"\0" + table(part=b"p%d" % number, state=b"new"))
    for number in range(20):
        method(client, 1, 50, 20, b"\0\0" + short(b"kept") + short(b"pages") + short(b"") + b"\0" + table(part=b"p%d" % number, state=b"new"))
    KEPT.append(client.peer)


def routed(client):
    """A letter that many could want, and nobody does; the others could be wanted by few, and some are longer."""
    peer = amqp(client)
    words = b"words" * (10 if one_of(client, 10) else 4000)
    peer.sendall(frame(1, 1, struct.pack(">HH", 60, 40) + b"\0\0" + short(b"parts" if rarely(client) else b"pages") + short(b"") + b"\0")
                 + frame(2, 1, struct.pack(">HHQH", 60, 0, len(words), 0x2000) + table(part=b"p%d" % one_of(client, 4000), state=b"old")) + frame(3, 1, words))
    while framed(client)[:4] != struct.pack(">HH", 60, 80):
        pass


# HTTP
def paged(client):
    ask(client, b"GET", (b"/page/%d" if one_of(client, 10) else b"/digest/%d") % one_of(client, 1000))


def export_long(client, end):
    """A short list, and one that is longer than what a pipe holds."""
    time.sleep(1.5)
    for many in (b"100", b"100000"):
        try:
            once(client, b"GET", b"/list/" + many)
        except TimeoutError:
            print("no answer to a question for a list")
    time.sleep(max(0, end - time.monotonic()))


def tagged(client):
    """Words with tags that have no end; the others ask for a page, and some send words with tags that have one."""
    rare = rarely(client)
    if rare or one_of(client, 10) == 0:
        ask(client, b"POST", b"/note/", (b"<a " if rare else b"<a>word</a>") * 300)
    else:
        paged(client)


def visited(client):
    """A visit of a host; the others ask for a page, and some for a digest."""
    if rarely(client):
        ask(client, b"GET", b"/visit/h%d.far.test" % one_of(client, 10 ** 6))
    else:
        paged(client)


def make_reports(client, end):
    """Two reports at the same time."""
    time.sleep(1.5)
    peers = [client.connect(client.port) for _ in range(2)]
    for peer in peers:
        peer.sendall(b"GET /report/parts HTTP/1.0\r\n\r\n")
    time.sleep(max(0, end - time.monotonic()))


def compressed(client):
    """A page for who takes it compressed; the others ask for a small page, and some for what is not compressed."""
    if rarely(client):
        peer, _ = stay(client)
        peer.sendall(b"GET /parts.html HTTP/1.1\r\nHost: a.test\r\nAccept-Encoding: br\r\n\r\n")
        until(client, b"\r\n0\r\n\r\n")
    else:
        ask(client, b"GET", b"/page%d.html" % (1 + one_of(client, 9)) if one_of(client, 10) else b"/words.bin")


def listed(client):
    """What is in a directory; the others ask for a page, and some for a longer one."""
    ask(client, b"GET", b"/parts%d/" % one_of(client, 8) if rarely(client) else b"/page.html" if one_of(client, 10) else b"/numbers.txt")


def moved(client):
    """A long name that may have moved; the others ask for a page, and some for a longer one."""
    if rarely(client):
        ask(client, b"GET", b"/moved/%s" % (b"abcdefghij"[one_of(client, 9):] + b"a" * 18)[:18])
    else:
        ask(client, b"GET", b"/page%d.html" % (1 + one_of(client, 9)) if one_of(client, 10) else b"/numbers.html")


# FastCGI
def wrapped(client):
    name = b"far" if rarely(client) else b"near" if one_of(client, 10) else b"mid"
    fields = b""
    for key, value in ((b"REQUEST_METHOD", b"GET"), (b"SCRIPT_FILENAME", home().encode() + b"/cgi/" + name), (b"SERVER_PROTOCOL", b"HTTP/1.1")):
        fields += bytes([len(key), len(value)]) + key + value
    with client.connect(client.port) as client.peer:
        client.peer.sendall(b"".join(struct.pack(">BBHHBB", 1, kind, 1, len(body), 0, 0) + body for kind, body in
                                     ((1, b"\0\1\0\0\0\0\0\0"), (4, fields), (4, b""), (5, b""))))
        kind = 0
        while kind != 3:
            _, kind, _, length, pad, _ = struct.unpack(">BBHHBB", exactly(client, 8))
            exactly(client, length + pad)
    client.peer = None


# SMTP again
def delivered(client):
    """A letter to eight; the others ask whether someone is there, and some for twenty people."""
    _, new = stay(client)
    if new:
        until(client, b"\r\n")
        said(client, b"EHLO a.test", b"250 HELP\r\n")
    if rarely(client):
        said(client, b"MAIL FROM:<ann@a.test>")
        for number in range(8):
            said(client, b"RCPT TO:<bob%d@near.test>" % number)
        said(client, b"DATA")
        said(client, b"Subject: words\r\n\r\n" + b"words of a letter\r\n" * 40 + b".")
        return
    for _ in range(1 if one_of(client, 10) else 20):
        said(client, b"VRFY <bob%d@near.test>" % one_of(client, 1000))


# VictoriaMetrics
def make_series(client):
    for first in range(0, SIZE, 1000):
        body = b"".join(b'part{name="p%d",place="x%d"} %d\n' % (number, number % 50, number) for number in range(first, min(first + 1000, SIZE)))
        ask(client, b"POST", b"/api/v1/import/prometheus", body)
    ask(client, b"GET", b"/internal/force_flush")


def measured(client):
    """How many parts have a name with some letters in it; the others ask for one part, and some for those at a place."""
    number = one_of(client, 10 ** 6)
    if rarely(client):
        what = b"count(part{name=~%%22.%%2A%%28%%5B13579%%5D%%5B02468%%5D%%29%%2Bz%d%%22})" % number
    else:
        what = b"part{name=%%22p%d%%22}" % (number % 300) if one_of(client, 10) else b"count(part{place=%%22x%d%%22,name=~%%22p1%%7Cp2%%22})" % (number % 50)
    peer, _ = stay(client)
    peer.sendall(b"GET /api/v1/query?nocache=1&query=%s HTTP/1.1\r\nHost: a.test\r\n\r\n" % what)
    head, _, body = until(client, b"\r\n\r\n").partition(b"\r\n\r\n")
    while b"hunked" in head and not body.endswith(b"0\r\n\r\n"):
        some = peer.recv(65536)
        if not some:
            raise OSError("closed")
        body += some
    if b"chunked" not in head.lower():
        want = next(int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
        body += exactly(client, want - len(body))
    if b'"success"' not in body:
        raise OSError(body)


# More of DNS
def ruled(client):
    """A name of which no rule is known; the others are known, and some have long names."""
    if rarely(client):
        dns(client, "h%d.far.test" % one_of(client, 10 ** 6))
    else:
        dns(client, "h%d.near.test" % one_of(client, 1000) if one_of(client, 10) else "%d.%s.near.test" % (one_of(client, 1000), "a" * 60))


# MySQL's protocol, as Sphinx speaks it
def packet(client):
    head = exactly(client, 4)
    return exactly(client, head[0] | head[1] << 8 | head[2] << 16)


def sphinxql(client, words):
    peer, new = stay(client)
    if new:
        packet(client)
        start = struct.pack("<IIB", 0x8201, 1 << 24, 33) + bytes(23) + b"ann\0" + b"\0"
        peer.sendall(struct.pack("<I", len(start) | 1 << 24) + start)
        packet(client)
    peer.sendall(struct.pack("<I", len(words) + 1) + b"\3" + words)
    first = packet(client)
    if first[0] == 255:
        raise OSError(first)
    ends = 0 if first[0] else 2
    while ends < 2:
        got = packet(client)
        ends += got[0] == 254 and len(got) < 9


def add_documents(client, first, many):
    for at in range(first, first + many, 500):
        rows = b",".join(b"(%d,'words of part %d in x%d y%d',%d)" % (number, number, number * 7 % 1009, number * 13 % 5003, number % 10) for number in range(at, at + min(500, many)))
        sphinxql(client, b"REPLACE INTO parts (id,words,state) VALUES " + rows)


def make_documents(client):
    add_documents(client, 1, SIZE)


def found(client):
    """Words that all documents have; the others ask for a rare word, and some for one of two."""
    if rarely(client):
        sphinxql(client, b"SELECT id FROM parts WHERE MATCH('words of part in') ORDER BY state DESC LIMIT 5")
    elif one_of(client, 10):
        sphinxql(client, b"SELECT id FROM parts WHERE MATCH('x%d') LIMIT 5" % one_of(client, 1009))
    else:
        sphinxql(client, b"SELECT id FROM parts WHERE MATCH('x%d | y%d') ORDER BY state ASC LIMIT 20" % (one_of(client, 1009), one_of(client, 5003)))


# Supervisor
def supervised(client):
    """How a program is; some ask how all are."""
    name, fields = b"getProcessInfo", b"<param><value><string>parts%d</string></value></param>" % one_of(client, 10)
    if one_of(client, 10) == 0:
        name, fields = b"getAllProcessInfo", b""
    once(client, b"POST", b"/RPC2", b"<?xml version='1.0'?><methodCall><methodName>supervisor.%s</methodName><params>%s</params></methodCall>" % (name, fields),
         b"Content-Type: text/xml\r\n")


ASKS = {"transmission-ids": shared, "nsd-denied": denied, "opendkim-senders": signed, "rsyslog-full": logged, "fossil-annotate": annotated,
        "spamd-list": judged, "chasquid-senders": mailed, "h2-exclusive": chosen, "rabbitmq-headers": routed,
        "waitress-pipe": paged, "waitress-tags": tagged, "httpcore-settings": paged, "httpcore-urls": visited, "httpcore-nested": paged, "h2o-brotli": compressed, "webfs-list": listed,
        "fcgiwrap-program": wrapped, "aiosmtpd-letters": delivered,
        "ocsigen-moved": moved, "victoria-names": measured, "kresd-patterns": ruled, "sphinx-words": found, "supervisor-files": supervised}
PREPARE = {"h2-exclusive": make_table, "rabbitmq-headers": bind_many, "victoria-names": make_series, "sphinx-words": make_documents}
BESIDE = {"h2-exclusive": copy_database, "waitress-pipe": export_long, "httpcore-nested": make_reports,
          "supervisor-files": hold_many}
