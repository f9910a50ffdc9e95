# SPDX-License-Identifier: GPL-2.0-only
"""The loads of the cases blind5-*, which sealed.py sends."""
import base64
import os
import socket
import struct
import subprocess
import time

from packaged import until
from sealed import KEPT, SIZE, hold_many, rarely, stay, web
from sealed_more import once


# HTTP
def searched(client):
    once(client, b"GET", b"/log?rev=oak+%d" % client.draw.randrange(1000) if rarely(client) else b"/raw-branches")


def push_bookmark(client, end):
    """A bookmark, for a repository that another program, in the case, has left locked."""
    time.sleep(1.5)
    try:
        once(client, b"POST", b"/?cmd=pushkey&namespace=bookmarks&key=mark&old=&new=")
    except TimeoutError:
        print("no answer to a bookmark")
    time.sleep(max(0, end - time.monotonic()))


def shopped(client):
    """One of some requests is for a page of two parts, which are asked for at once, with the client's session."""
    if not hasattr(client, "session"):
        client.session = b""
        client.session = b"Cookie: " + parts(client, 1)[0].partition(b"Set-Cookie: ")[2].partition(b";")[0] + b"\r\n"
    if rarely(client):
        parts(client, 2)
    else:
        once(client, b"GET", b"/page/%d" % client.draw.randrange(1000))


def parts(client, count):
    peers = [client.connect(client.port) for _ in range(count)]
    for number, peer in enumerate(peers):
        peer.sendall(b"GET /part/%d HTTP/1.1\r\nHost: a\r\nConnection: close\r\n%s\r\n" % (number, client.session))
    got = []
    for peer in peers:
        with peer:
            got.append(b"".join(iter(lambda: peer.recv(65536), b"")))
    return got


def voted(client):
    once(client, b"GET", (b"/vote/%d" if rarely(client) else b"/page/%d") % client.draw.randrange(20))


def feeds(client):
    title = b"a &amp; b &#%s" % (b"0" * 1200) if rarely(client) else b"Number %d" % client.draw.randrange(1000)
    web(client, b"POST", b"/feed", b"<feed><title>%s</title></feed>" % title)


def listed(client):
    web(client, b"HEAD", b"/part-%06d" % client.draw.randrange(1, 20000))


# Postfix's question about a letter, of which one connection may ask many.
def greylisted(client):
    peer, _ = stay(client)
    number = client.draw.randrange(10 ** 6)
    name = b"mail.far.test" if rarely(client) else b"mail.near.test"
    peer.sendall(b"request=smtpd_access_policy\nprotocol_state=RCPT\nprotocol_name=ESMTP\nclient_address=192.0.2.7\nclient_name=%s\n"
                 b"helo_name=a\nsender=guest%d@far.test\nrecipient=ann@near.test\ninstance=%d\n\n" % (name, number % 50, number))
    until(client, b"\n\n")


# Samba, by its own client, whose answers end with the size, or with an error
def named(client):
    if not client.peer:
        client.peer = subprocess.Popen(["stdbuf", "-oL", "smbclient", "//127.0.0.1/parts", "-N", "-p", str(client.port)],
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, bufsize=0)
    number = client.draw.randrange(1, 20000)
    name = b"Sheet-%05d" % number if rarely(client) else b"part-%05d" % number
    client.peer.stdin.write(b"allinfo %s\n" % name)
    got = b""
    while not got.endswith(b"\n") or b" bytes" not in got and b"NT_STATUS_" not in got:
        some = os.read(client.peer.stdout.fileno(), 65536)
        if not some:
            client.peer.wait()
            raise OSError("closed")
        got += some


# Zabbix: a connection for each question
def measured(client, key):
    with client.connect(client.port) as peer:
        peer.sendall(b"ZBXD\1" + struct.pack("<Q", len(key)) + key)
        while peer.recv(65536):
            pass


def counted(client):
    measured(client, b"counted" if rarely(client) else b"agent.ping")


def known(client):
    measured(client, b"known[]" if rarely(client) else b"agent.ping")


# ActiveMQ, by STOMP
def stomp(client):
    peer, new = stay(client)
    if new:
        peer.sendall(b"CONNECT\naccept-version:1.1\nhost:a\n\n\0")
        until(client, b"\0")
    return peer


def posted(client, where=None, body=b"some words"):
    peer = stomp(client)
    where = where or (b"/topic/far" if rarely(client) else b"/topic/near")
    mark = b"%d" % client.draw.randrange(10 ** 9)
    peer.sendall(b"SEND\ndestination:%s\nkind:%d\nreceipt:%s\n\n%s\0" % (where, client.draw.randrange(10 ** 6, 10 ** 7), mark, body))
    until(client, mark)


def select_many(client):
    """Readers of one topic, each of whom selects what it wants to have."""
    peer = stomp(client)
    for number in range(SIZE):
        peer.sendall(b"SUBSCRIBE\nid:%d\ndestination:/topic/far\nselector:kind = '%d' OR kind LIKE 'x%d%%'\nreceipt:r%d.\n\n\0"
                     % (number, number, number, number))
        until(client, b"r%d." % number)
    KEPT.append(peer)


def fill_queue(client, end):
    """Two hundred letters of 10 kB for a queue that nobody reads, and one more elsewhere, which is to be confirmed."""
    time.sleep(1.5)
    peer = stomp(client)
    peer.settimeout(end - time.monotonic())
    try:
        for _ in range(200):
            peer.sendall(b"SEND\ndestination:/queue/unread\n\n%s\0" % (b"x" * 10000))
        posted(client)
    except TimeoutError:
        print("no answer to a letter")
    time.sleep(max(0, end - time.monotonic()))


# XMPP: each client is a user
def queried(client):
    if not client.peer:
        enter(client)
    mark = b"q%d." % client.draw.randrange(10 ** 9)
    if rarely(client):
        asked = b"<query xmlns='jabber:iq:private'><note xmlns='part:%d'/></query></iq>" % client.draw.randrange(5)
        client.peer.sendall(b"<iq type='get' id='%s'>%s" % (mark, asked))
    else:
        client.peer.sendall(b"<iq type='get' to='localhost' id='%s'><ping xmlns='urn:xmpp:ping'/></iq>" % mark)
    until(client, mark)


def enter(client):
    stay(client)
    stream = b"<stream:stream to='localhost' version='1.0' xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>"
    client.peer.sendall(stream)
    until(client, b"</stream:features>")
    who = base64.b64encode(b"\0user%d\0secret" % client.draw.randrange(12))
    client.peer.sendall(b"<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='PLAIN'>%s</auth>" % who)
    until(client, b"<success")
    client.peer.sendall(stream)
    until(client, b"</stream:features>")
    client.peer.sendall(b"<iq type='set' id='bound.'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/></iq>")
    until(client, b"bound.")


# TURN: each client has an allocation, and asks for permissions; others ask for their own address.
def permitted(client):
    if not client.peer:
        client.peer = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        client.peer.settimeout(10)
        client.peer.connect(("127.0.0.1", client.port))
        stun(client, 3, struct.pack(">HHI", 0x19, 4, 17 << 24))
    if rarely(client):
        address = struct.pack(">I", (100 << 24 | client.draw.randrange(2 ** 16)) ^ 0x2112A442)
        stun(client, 8, struct.pack(">HHHH", 0x12, 8, 1, client.draw.randrange(2 ** 16)) + address)
    else:
        stun(client, 1, b"")


def stun(client, kind, body):
    mark = client.draw.randbytes(12)
    client.peer.send(struct.pack(">HHI", kind, len(body), 0x2112A442) + mark + body)
    while client.peer.recv(4096)[8:20] != mark:
        pass


# RRDtool's cache
def updated(client):
    peer, _ = stay(client)
    if not hasattr(client, "later"):
        client.later, client.own = int(time.time()), client.draw.randrange(1, 20)
    client.later += 1
    peer.sendall(b"LAST part%d.rrd\n" % client.own if rarely(client) else b"PENDING part%d.rrd\n" % client.own)
    until(client, b"\n")


# BIRD, by its own socket
def routed(client):
    if not client.peer:
        client.peer = socket.socket(socket.AF_UNIX)
        client.peer.settimeout(30)
        client.peer.connect(os.readlink("/proc/%s/fd/1" % os.environ["SERVER"]).rpartition("/")[0] + "/control")
        until(client, b"0001 ")
        if not client.peer:
            raise OSError("closed")
    client.peer.sendall(b"show route for 10.0.%d.1\n" % client.draw.randrange(256))
    replied(client)


def replied(client):
    got = b""
    while not any(line[4:5] == b" " and line[:1].isdigit() for line in got.split(b"\n")[:-1]):
        some = client.peer.recv(65536)
        if not some:
            raise OSError("closed")
        got += some


def configure(client, end):
    """The configuration is read again each four seconds, as a program does that keeps it."""
    routed(client)
    while time.monotonic() < end:
        client.peer.sendall(b"configure\n")
        replied(client)
        time.sleep(4)


ASKS = {"hg-search": searched, "hg-lock": searched, "cherrypy-session": shopped, "unicorn-store": voted, "thin-feed": feeds, "rclone-directory": listed,
        "postgrey-hosts": greylisted, "smbd-names": named, "zabbix-count": counted, "zabbix-names": known, "activemq-full": posted,
        "activemq-select": posted, "coturn-denied": permitted, "rrdtool-files": updated, "bird-configure": routed, "prosody-private": queried}
PREPARE = {"activemq-select": select_many}
BESIDE = {"hg-lock": push_bookmark, "activemq-full": fill_queue, "rrdtool-files": hold_many, "bird-configure": configure}
