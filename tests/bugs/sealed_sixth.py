# SPDX-License-Identifier: GPL-2.0-only
"""The loads of the cases blind6-*, which sealed.py sends."""
import base64
import json
import os
import sqlite3
import struct
import subprocess
import time

from packaged import datagram, until
from sealed import KEPT, SIZE, dns, hold_many, rarely, stay, web
from sealed_more import once
from sealed_fourth import exactly


def home():
    """The directory of the run, where the server's output goes."""
    return os.readlink("/proc/%s/fd/1" % os.environ["SERVER"]).rpartition("/")[0]


def one_of(client, many):
    return client.draw.randrange(many)


# DNS
def asked_address(client):
    """Who has an address; the others ask for the address of a host, and some for one that has twenty."""
    if rarely(client):
        number = one_of(client, SIZE)
        datagram_of(client, "%d.%d.%d.10.in-addr.arpa" % (number % 256, number // 256 % 256, number // 65536), 12)
    else:
        dns(client, "many.test" if one_of(client, 10) == 0 else "h%d.test" % one_of(client, SIZE))


def datagram_of(client, name, kind):
    mark = struct.pack(">H", one_of(client, 65536))
    labels = b"".join(bytes([len(part)]) + part for part in name.encode().split(b"."))
    datagram(client, client.port, mark + b"\1\0\0\1\0\0\0\0\0\0" + labels + struct.pack(">BHH", 0, kind, 1),
             lambda answer: answer[:2] == mark)


def resolved(client):
    dns(client, "h%d.near.test" % (one_of(client, SIZE) if one_of(client, 10) else 0))


def fill_names(client):
    """The server is given what its cache is to hold."""
    lines = ["START_RRSET_CACHE"]
    for number in range(SIZE):
        many = 20 if number == 0 else 1
        lines.append(";rrset 80000 %d 0 8 3" % many)
        for at in range(many):
            lines.append("h%d.near.test.\t80000\tIN\tA\t10.%d.%d.%d" % (number, at, number // 256 % 256, number % 256))
    lines += ["END_RRSET_CACHE", "START_MSG_CACHE"]
    for number in range(SIZE):
        lines += ["msg h%d.near.test. IN A 33152 1 80000 3 1 0 0" % number, "h%d.near.test. IN A 0" % number]
    lines += ["END_MSG_CACHE", "EOF", ""]
    control("load_cache", "\n".join(lines))


def control(*words):
    given = words[1] if len(words) > 1 else ""
    subprocess.run(["unbound-control", "-c", home() + "/unbound.conf", *words[0].split()], input=given.encode(), stdout=subprocess.DEVNULL,
                   check=False)


def flush_zone(client, end):
    """A zone is to be forgotten each four seconds, as a program does that changes it."""
    while time.monotonic() < end:
        control("flush_zone changed.test")
        time.sleep(4)


# MQTT
def packet(kind, body):
    length, left = b"", len(body)
    while True:
        left, low = left >> 7, left & 127
        length += bytes([low | (128 if left else 0)])
        if not left:
            return bytes([kind]) + length + body


def text(words):
    return struct.pack(">H", len(words)) + words


def mqtt(client):
    peer, new = stay(client)
    if new:
        peer.sendall(packet(0x10, text(b"MQTT") + b"\4\2\0\0" + text(b"c%d" % one_of(client, 10 ** 9))))
        answered(client, 2)
    return peer


def answered(client, kind):
    """Reads packets until there is one of a kind."""
    got = 0
    while got != kind:
        got, length, shift = exactly(client, 1)[0] >> 4, 0, 0
        while True:
            byte = exactly(client, 1)[0]
            length |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                break
        exactly(client, length)


def subscribed(client, topic):
    mqtt(client).sendall(packet(0x82, b"\0\1" + text(topic) + b"\0"))
    answered(client, 9)


def noted(client):
    """A state that many parts could have, and none has; the others say a state, and some ask for those of twenty."""
    if rarely(client):
        subscribed(client, b"parts/+/alarm")
    elif one_of(client, 10) == 0:
        subscribed(client, b"near/+")
    else:
        mqtt(client).sendall(packet(0x32, text(b"state/%d" % one_of(client, 1000)) + b"\0\2on"))
        answered(client, 4)


def retain_many(client):
    for number in range(20):
        mqtt(client).sendall(packet(0x31, text(b"near/%d" % number) + b"on"))
    for number in range(SIZE):
        mqtt(client).sendall(packet(0x31, text(b"parts/%d/state" % number) + b"on"))
    mqtt(client).sendall(packet(0x32, text(b"state/0") + b"\0\2on"))
    answered(client, 4)


# Beanstalk
def worked(client):
    peer, _ = stay(client)
    if one_of(client, 10) == 0:
        peer.sendall(b"stats\r\n")
        until(client, b"hostname")
        return
    peer.sendall(b"put 0 0 60 5\r\nwords\r\n")
    number = until(client, b"\r\n").split()[1]
    peer.sendall(b"delete %s\r\n" % number)
    until(client, b"\r\n")


# etcd
def key(name):
    return base64.b64encode(name).decode()


def kept(client):
    if one_of(client, 10) == 0:
        body = {"key": key(b"part0"), "range_end": key(b"part1"), "limit": 20}
    else:
        body = {"key": key(b"part0/%d" % one_of(client, 100))}
    web(client, b"POST", b"/v3/kv/range", json.dumps(body).encode())


def fill_store(client):
    for part in range(SIZE):
        puts = [{"requestPut": {"key": key(b"part%d/%d" % (part, number)), "value": key(b"x" * 8000)}} for number in range(100)]
        web(client, b"POST", b"/v3/kv/txn", json.dumps({"success": puts}).encode())


def defragment(client, end):
    while time.monotonic() < end:
        time.sleep(5)
        web(client, b"POST", b"/v3/maintenance/defragment", b"{}")


# NATS
def spoken(client):
    if rarely(client):
        with client.connect(client.port) as peer:
            log_in(client, peer)
        client.peer = None
        return
    peer, new = stay(client)
    if new:
        log_in(client, peer)
    if one_of(client, 10) == 0:
        mark = b"%d." % one_of(client, 10 ** 9)
        peer.sendall(b"SUB here.%s 1\r\nPUB here.%s 5\r\nwords\r\nUNSUB 1\r\nPING\r\n" % (mark[:-1], mark[:-1]))
    else:
        peer.sendall(b"PING\r\n")
    until(client, b"PONG")


def log_in(client, peer):
    client.peer = peer
    until(client, b"\r\n")
    peer.sendall(b'CONNECT {"verbose":false,"user":"ann","pass":"secret"}\r\nPING\r\n')
    until(client, b"PONG")


# bgpd, by its terminal
def shown(client):
    peer, new = stay(client)
    if new:
        until(client, b"peer> ")
        peer.sendall(b"terminal length 0\n")
        until(client, b"peer> ")
    if rarely(client):
        peer.sendall(b"show bgp ipv4 unicast regexp _65%03d_\n" % one_of(client, 1000))
    elif one_of(client, 10) == 0:
        peer.sendall(b"show memory\n")
    else:
        peer.sendall(b"show bgp ipv4 unicast 10.0.%d.0/24\n" % one_of(client, 200))
    until(client, b"peer> ")


# NBD
def enter_disk(client):
    peer, _ = stay(client)
    exactly(client, 18)
    peer.sendall(struct.pack(">I", 3) + b"IHAVEOPT" + struct.pack(">II", 1, 5) + b"parts")
    exactly(client, 10)


def written(client):
    """128 kilobytes are written; the others read four, and some read more."""
    if not client.peer:
        enter_disk(client)
    rare = rarely(client)
    length = 131072 if rare else 4096 if one_of(client, 10) else 65536
    mark = client.draw.randbytes(8)
    client.peer.sendall(struct.pack(">IHH", 0x25609513, 0, 1 if rare else 0) + mark + struct.pack(">QI", 131072 * one_of(client, 16000), length)
                        + (mark * (length // 8) if rare else b""))
    exactly(client, 16 if rare else 16 + length)


# HTTP
def allowed(client):
    web(client, b"GET", b"/far" if rarely(client) else b"/mid" if one_of(client, 10) == 0 else b"/page%d" % one_of(client, 1000))


def filed(client):
    web(client, b"GET", b"/parts/" if one_of(client, 10) == 0 else b"/page%d.html" % client.draw.randrange(1, 10))


def ask_status(client, end):
    time.sleep(1.5)
    try:
        once(client, b"GET", b"/status.txt")
    except TimeoutError:
        print("no answer to a question for the status")
    time.sleep(max(0, end - time.monotonic()))


def ordered(client):
    """Sets within sets; the others ask for a page, and some send one set."""
    rare = rarely(client)
    if rare or one_of(client, 10) == 0:
        with open(home() + ("/far" if rare else "/near"), "rb") as kept:
            web(client, b"POST", b"/order", kept.read())
    else:
        paged(client)


def paged(client):
    web(client, b"GET", b"/page/%d" % one_of(client, 1000))


def fail_reports(client, end):
    """Reports of what is no number, and one more."""
    time.sleep(1.5)
    for part in [b"x"] * 8 + [b"7"]:
        try:
            once(client, b"GET", b"/report/" + part)
        except TimeoutError:
            print("no answer to a question for a report")
    time.sleep(max(0, end - time.monotonic()))


def lined(client):
    """A list of many lines; the others ask for a page, and some send a short list."""
    rare = rarely(client)
    if rare or one_of(client, 10) == 0:
        web(client, b"POST", b"/list", b"<ul>%s</ul>" % (b"<li class=odd>one<li class=even>two" * (120 if rare else 5)))
    else:
        paged(client)


def named(client):
    """A name that is not known; the others ask for a page, and some for a digest."""
    if rarely(client):
        once(client, b"GET", b"/known/h%d.far.test" % one_of(client, 10 ** 6))
    else:
        once(client, b"GET", (b"/page/%d" if one_of(client, 10) else b"/digest/%d") % one_of(client, 1000))


def digested(client):
    if one_of(client, 10) == 0:
        web(client, b"GET", b"/digest/%d" % one_of(client, 1000))
    else:
        paged(client)


def visited(client):
    """A visit that is to be kept; the others ask for a page, and some for a digest."""
    if rarely(client):
        web(client, b"GET", b"/visit/%d" % one_of(client, 1000))
    else:
        digested(client)


def keep_locked(client, end):
    """Another program writes to the file for a quarter of a second, each three seconds."""
    other = sqlite3.connect(home() + "/shared", isolation_level=None)
    other.execute("PRAGMA busy_timeout = 5000")
    while time.monotonic() < end:
        time.sleep(3)
        other.execute("BEGIN IMMEDIATE")
        time.sleep(0.25)
        other.execute("COMMIT")


# MPD
def searched(client):
    """Words that are looked for in all songs; the others ask for the state, and some for the songs of one album."""
    peer, new = stay(client)
    if new:
        until(client, b"\n")
    if rarely(client):
        peer.sendall(b'search any "nothing %d"\n' % one_of(client, 1000))
    else:
        peer.sendall(b'stats\n' if one_of(client, 10) == 0 else b"status\n")
    while b"OK\n" not in client.peer.recv(65536)[-3:]:
        pass


# FTP
def told(client):
    """What is in a directory; the others ask for a size, and some for what is in a small one."""
    peer, new = stay(client)
    if new:
        until(client, b"220 ")
        peer.sendall(b"USER anonymous\r\n")
        until(client, b"331 ")
        peer.sendall(b"PASS a@b\r\n")
        until(client, b"230 ")
        peer.sendall(b"TYPE I\r\n")
        until(client, b"200 ")
    if rarely(client) or one_of(client, 10) == 0:
        peer.sendall(b"STAT parts\r\n" if client.rarely else b"STAT few\r\n")
        until(client, b"213 End of status.")
    else:
        peer.sendall(b"SIZE page\r\n")
        until(client, b"213 ")


# Git
def advertised(client):
    name = b"git-upload-pack /%s\0host=a\0" % (b"far" if rarely(client) else b"near")
    with client.connect(client.port) as client.peer:
        client.peer.sendall(b"%04x%s" % (len(name) + 4, name))
        until(client, b"\n0000")
        client.peer.sendall(b"0000")
    client.peer = None


ASKS = {"dnsmasq-reverse": asked_address, "unbound-flush": resolved, "mosquitto-retained": noted, "beanstalkd-files": worked, "etcd-defrag": kept,
        "nats-password": spoken, "bgpd-regexp": shown, "nbd-sync": written, "haproxy-lua": allowed,
        "caddy-fifo": filed, "jetty-sets": ordered, "jetty-pool": ordered, "mojo-siblings": lined, "puma-lock": named,
        "gunicorn-rotate": digested, "git-refs": advertised, "aiohttp-locked": visited,
        "mpd-search": searched, "jdkweb-log": digested, "mojo-files": lined, "ftpd-list": told}
PREPARE = {"unbound-flush": fill_names, "mosquitto-retained": retain_many, "etcd-defrag": fill_store}
BESIDE = {"unbound-flush": flush_zone, "beanstalkd-files": hold_many, "etcd-defrag": defragment, "caddy-fifo": ask_status, "jetty-pool": fail_reports,
          "aiohttp-locked": keep_locked, "mojo-files": hold_many}
