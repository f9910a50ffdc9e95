# SPDX-License-Identifier: GPL-2.0-only
"""The loads of the cases blind3-*, which sealed.py sends."""
import os
import socket
import struct
import threading
import time
import urllib.parse

from packaged import datagram, until
from sealed import SIZE, dns, rarely, stay, web
from sealed_more import once



# HTTP
def images(client):
    web(client, b"GET", b"/v2/_catalog?n=1000" if rarely(client) else b"/v2/")


def influx(client, query):
    once(client, b"POST", b"/query?" + urllib.parse.urlencode({"db": "d", "q": query}).encode())


def measured(client):
    influx(client, "SHOW TAG VALUES FROM m WITH KEY = host" if rarely(client)
           else "SELECT last(v) FROM m WHERE host = 'h%d'" % client.draw.randrange(20))


def measure_many(client):
    """SIZE series."""
    influx(client, "CREATE DATABASE d")
    once(client, b"POST", b"/write?db=d", "".join("m,dc=dc%d,host=h%d v=1\n" % (i % 10, i) for i in range(SIZE)).encode())


# DNS
def signed(client):
    """A name that is not there, with the proof that it is not, or one that is."""
    client.count = (getattr(client, "count", client.draw.randrange(60000)) + 1) % 65536
    mark = struct.pack(">H", client.count)
    first = b"gone%d" % client.draw.randrange(10 ** 6) if rarely(client) else b"h%d" % client.draw.randrange(20)
    labels = b"".join(bytes([len(part)]) + part for part in (first, b"x", b"test"))
    datagram(client, client.port, mark + b"\1\0\0\1\0\0\0\0\0\1" + labels + b"\0\0\1\0\1"
             b"\0\0\x29\4\xd0\0\0\x80\0\0\0", lambda answer: answer[:2] == mark)


def replaced(client):
    """One more address of a name."""
    if not rarely(client):
        return dns(client, "h%d.y.test" % client.draw.randrange(20))
    client.count = (getattr(client, "count", client.draw.randrange(60000)) + 1) % 65536
    mark = struct.pack(">H", client.count)
    address = bytes([10, 1, client.draw.randrange(256), client.draw.randrange(256)])
    return datagram(client, client.port, mark + b"\x28\0\0\1\0\0\0\1\0\0\1y\4test\0\0\6\0\1\4many\xc0\x0c\0\1\0\1\0\0\0\x3c\0\4"
                    + address, lambda answer: answer[:2] == mark)


# clamd
def scanned(client):
    with client.connect(client.port) as client.peer:
        if rarely(client):
            client.peer.sendall(b"zPING\0")
            until(client, b"PONG\0")
        else:
            text = b"Some words, and no more. " * client.draw.randrange(10, 200)
            client.peer.sendall(b"zINSTREAM\0" + struct.pack(">I", len(text)) + text + b"\0\0\0\0")
            until(client, b"OK\0")
    client.peer = None


def load_again(client, end):
    """New signatures have come, each eight seconds."""
    while time.monotonic() < end - 4:
        time.sleep(4)
        with client.connect(client.port) as peer:
            peer.sendall(b"zRELOAD\0")
            peer.recv(100)
        time.sleep(4)


# IMAP
def imap(client, command):
    client.peer.sendall(b"a %s\r\n" % command)
    got = until(client, b"\r\n")
    while b"\r\na " not in b"\r\n" + got or not got.endswith(b"\r\n"):
        some = client.peer.recv(65536)
        if not some:
            raise OSError("closed")
        got += some


def open_mailbox(client, mailbox):
    _, new = stay(client)
    if new:
        until(client, b"* OK")
        imap(client, b"LOGIN ann secret")
        imap(client, b"SELECT " + mailbox)


def letters(client):
    open_mailbox(client, b"big")
    imap(client, b"SEARCH BODY of-great-value" if rarely(client) else b"FETCH 1 (FLAGS ENVELOPE)")


def letters_kept(client):
    open_mailbox(client, b"INBOX")
    if not rarely(client):
        return imap(client, b"FETCH 1 (FLAGS ENVELOPE)")
    client.peer.sendall(b"b APPEND small {12+}\r\nTo: ann\r\n\r\nx\r\n")
    return until(client, b"b OK")


def letter(client):
    open_mailbox(client, b"INBOX")
    imap(client, b"NOOP" if rarely(client) else b"FETCH 1 (FLAGS ENVELOPE)")


def keep_letter(client, end):
    """A letter for a mailbox that another program, in the case, has locked."""
    time.sleep(1.5)
    store = os.readlink("/proc/%s/fd/1" % os.environ["SERVER"]).rpartition("/")[0]
    if os.path.exists(store + "/locked"):
        os.rename(store + "/locked", store + "/mail/small.lock")
    open_mailbox(client, b"INBOX")
    client.peer.sendall(b"a APPEND small {12+}\r\nTo: ann\r\n\r\nx\r\n")
    time.sleep(max(0, end - time.monotonic()))


# SMTP
def mail(client, source, domain):
    with client.connect(client.port, source) as client.peer:
        until(client, b"\r\n")
        for line in (b"HELO near.test", b"MAIL FROM:<bob@z.test>", b"RCPT TO:<ann@%s>" % domain):
            client.peer.sendall(line + b"\r\n")
            until(client, b"\r\n")
        client.peer.sendall(b"QUIT\r\n")  # Exim 4.96 keeps its answer to this back for 200 ms, or until the client is gone.
    client.peer = None


def posted(client):
    mail(client, "127.0.0.1", b"far.test" if rarely(client) else b"near.test")


def posted_from(client):
    mail(client, "127.0.0.2" if rarely(client) else "127.0.0.3", b"near.test")


def say_who(peer):
    with peer:
        asked = peer.recv(1000).strip()
        time.sleep(0.025)
        peer.sendall(asked + b" : USERID : UNIX : bob\r\n")


def tell_users(client, end):
    """Who the users of one address are, asked as RFC 1413 says, which comes late."""
    server = socket.create_server(("127.0.0.2", 113), backlog=100)
    server.settimeout(0.5)
    while time.monotonic() < end:
        try:
            threading.Thread(target=say_who, args=(server.accept()[0],), daemon=True).start()
        except TimeoutError:
            pass


# Tarantool, by the text protocol of the orders
def orders(client):
    peer, _ = stay(client)
    peer.sendall(b"count\n" if rarely(client) else b"get %d\n" % client.draw.randrange(1, 160000))
    until(client, b"\n")


ASKS = {"registry-catalog": images, "influxdb-values": measured, "knot-hashes": signed, "knot-journal": replaced,
        "clamd-reload": scanned, "dovecot-search": letters, "dovecot-lock": letter, "dovecot-sync": letters_kept, "exim-lsearch": posted,
        "exim-ident": posted_from, "tarantool-count": orders}
PREPARE = {"influxdb-values": measure_many}
BESIDE = {"clamd-reload": load_again, "dovecot-lock": keep_letter, "exim-ident": tell_users}
