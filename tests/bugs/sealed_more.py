# SPDX-License-Identifier: GPL-2.0-only
"""The loads of the cases blind2-*, which sealed.py sends."""
import json
import os
import socket
import time

from packaged import until
from sealed import rarely, stay, web

SIZE = int(os.environ.get("SIZE", 20))
CALENDAR = b"""BEGIN:VCALENDAR\r
VERSION:2.0\r
PRODID:-//x//x//EN\r
BEGIN:VEVENT\r
UID:%s\r
DTSTAMP:20260101T000000Z\r
DTSTART:20260101T100000Z\r
SUMMARY:Number %d\r
END:VEVENT\r
END:VCALENDAR\r
"""


# FTP
def log_in(client, peer):
    client.peer = peer
    until(client, b"220 ")
    peer.sendall(b"USER ann\r\n")
    until(client, b"331 ")
    peer.sendall(b"PASS secret\r\n")
    until(client, b"230 ")


def deleted(client):
    """One of forty requests deletes what is not there, by a long name; the others ask for a size."""
    peer, new = stay(client)
    if new:
        log_in(client, peer)
    if rarely(client):
        peer.sendall(b"DELE %s0\r\n" % (b"a" * 19))
        until(client, b"550 ")
    else:
        peer.sendall(b"SIZE page\r\n")
        until(client, b"\r\n")


# Subversion
def checked_out(client):
    url = b"svn://127.0.0.1:%d/%s" % (client.port, b"far" if rarely(client) else b"near")
    with client.connect(client.port) as client.peer:
        until(client, b") ) ) ")
        client.peer.sendall(b"( 2 ( edit-pipeline svndiff1 absent-entries depth mergeinfo log-revprops ) %d:%s 4:test ( ) ) "
                            % (len(url), url))
        until(client, b" ) ) ")
        client.peer.sendall(b"( ANONYMOUS ( 0: ) ) ")
        until(client, b") ) ) ")
        client.peer.sendall(b"( get-latest-rev ( ) ) ")
        until(client, b"( success ( 0 ) ) ")
    client.peer = None


# HTTP, on a connection that stays
def alerts(client):
    web(client, b"GET", b"/api/v2/alerts?filter=severity%3D%22none%22" if rarely(client) else b"/-/healthy")


def alert_many(client):
    """SIZE alerts that could inhibit others, and as many that could be inhibited, of other instances."""
    for kind, other in (("critical", "a"), ("warning", "b")):
        body = json.dumps([{"labels": {"alertname": "down", "severity": kind, "instance": f"{other}{i}"}} for i in range(SIZE)])
        client.peer = None
        client.peer = client.connect(client.port)
        web(client, b"POST", b"/api/v2/alerts HTTP/1.1\r\nContent-Type: application/json\r\nX-Was:", body.encode())


def once(client, method, path, body=b"", header=b""):
    """A request on a connection of its own."""
    with client.connect(client.port) as peer:
        peer.sendall(b"%s %s HTTP/1.0\r\nHost: near.test\r\nContent-Length: %d\r\n%s\r\n%s" % (method, path, len(body), header, body))
        got = b""
        while some := peer.recv(65536):
            got += some
        if not got:
            raise OSError("closed")


def noted(client):
    length = client.draw.randrange(2000, 2400)
    note = b"x" + (b" " if rarely(client) else b"y ") * (length // (1 if client.rarely else 2)) + b"x"
    once(client, b"POST", b"/notes", note)


def session(client):
    once(client, b"GET", b"/visit?guest=%d" % client.draw.randrange(20) if rarely(client)
         else b"/?page=%d" % client.draw.randrange(1000))


def words(client):
    once(client, b"GET", b"/check?words=%s%%21" % (b"a" * 16) if rarely(client) else b"/page?number=%d" % client.draw.randrange(1000))


def things(client):
    once(client, b"GET", b"/esi/shop:list?%d" % (1200 if rarely(client) else 20))


def printed(client):
    once(client, b"GET", b"/page%d.html" % client.draw.randrange(1, 10))


def come_from_far(client, end):
    """A client at an address without a name, each four seconds: one of this host that is no loopback, which CUPS looks up."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as way:
        way.connect(("192.0.2.1", 9))
        source = way.getsockname()[0]
    while time.monotonic() < end - 4:
        time.sleep(4)
        try:
            with client.connect(client.port, source) as peer:
                peer.sendall(b"GET /page1.html HTTP/1.0\r\n\r\n")
                peer.recv(65536)
        except OSError:
            pass


ANN = b"Authorization: Basic YW5uOnNlY3JldA==\r\n"


def calendar(client):
    number = client.draw.randrange(20)
    if rarely(client):
        once(client, b"PUT", b"/ann/cal/%d.ics" % number, CALENDAR % (b"u%d" % number, client.draw.randrange(10 ** 6)), ANN)
    else:
        once(client, b"GET", b"/ann/cal/%d.ics" % number, b"", ANN)


def make_calendar(client):
    once(client, b"MKCALENDAR", b"/ann/cal/", b"", ANN)
    for i in range(20):
        once(client, b"PUT", b"/ann/cal/%d.ics" % i, CALENDAR % (b"u%d" % i, i), ANN)


def change_once(client, end):
    """A change whose program does not end."""
    time.sleep(1.5)
    store = os.readlink("/proc/%s/fd/1" % os.environ["SERVER"]).rpartition("/")[0]
    open(store + "/store/stuck", "w").close()
    once(client, b"PUT", b"/ann/cal/1.ics", CALENDAR % (b"u1", 1), ANN)


def proxied(client):
    host = b"far%d.test" % client.draw.randrange(100) if rarely(client) else b"near.test"
    peer, _ = stay(client)
    peer.sendall(b"GET http://%s/%d HTTP/1.1\r\nHost: %s\r\n\r\n" % (host, client.draw.randrange(200, 4000), host))
    head, _, body = until(client, b"\r\n\r\n").partition(b"\r\n\r\n")
    length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
    while len(body) < length:
        some = peer.recv(65536)
        if not some:
            raise OSError("closed")
        body += some


ASKS = {"proftpd-filter": deleted, "svnserve-authz": checked_out, "alertmanager-inhibit": alerts,
        "php-sessions": session, "webrick-regex": words, "starman-trim": noted, "inets-unique": things, "cups-names": printed,
        "radicale-hook": calendar, "radicale-stuck": calendar, "traffic-rules": proxied}
PREPARE = {"alertmanager-inhibit": alert_many, "radicale-hook": make_calendar, "radicale-stuck": make_calendar}
BESIDE = {"cups-names": come_from_far, "radicale-stuck": change_once}
