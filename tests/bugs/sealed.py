# SPDX-License-Identifier: GPL-2.0-only
"""The loads of the sealed cases, at a steady rate with pauses, and what runs beside their servers.

Usage: sealed.py LOAD PORT BACKEND CONNECTIONS RATE RARE SECONDS SEED    LOAD: the case without blind-, blind2- to blind9-; see ASKS
       sealed.py names ADDRESS SERVER_PID MILLISECONDS     a name server that knows nothing, and says so that late; 0: never
       sealed.py reader FIFO SERVER_PID MILLISECONDS       reads a log, and pauses each two seconds
Prints "warm" as the load begins, and at its end how many requests were answered, and how long the rare and the
others took."""
import fcntl
import os
import random
import resource
import socket
import struct
import sys
import threading
import time

from historyload import Client
from packaged import datagram, fetch, until

SIZE = int(os.environ.get("SIZE", 20))
KEPT = []


def rarely(client):
    client.rarely = client.is_rare()
    return client.rarely


def stay(client):
    """The client's connection, and whether it is new."""
    if client.peer:
        return client.peer, False
    client.peer = client.connect(client.port)
    return client.peer, True


# DNS
def dns(client, name, port=None):
    client.count = (getattr(client, "count", client.draw.randrange(60000)) + 1) % 65536
    mark = struct.pack(">H", client.count)
    labels = b"".join(bytes([len(part)]) + part for part in name.encode().split(b"."))
    datagram(client, port or client.port, mark + b"\1\0\0\1\0\0\0\0\0\0" + labels + b"\0\0\1\0\1",
             lambda answer: answer[:2] == mark)


def listed(client):
    dns(client, "host%d.example.bl.test" % client.draw.randrange(4 * 10 ** 6))


# IRC
def enter(peer, name):
    peer.sendall(b"NICK %s\r\nUSER guest 0 * :A guest of the house\r\n" % name)
    got = b""
    while b" 422 " not in got and b" 376 " not in got:
        some = peer.recv(65536)
        if not some:
            raise OSError("closed")
        got += some


def chat(client):
    if rarely(client):
        with client.connect(client.port) as peer:
            enter(peer, b"g%07d" % client.draw.randrange(10 ** 7))
            peer.sendall(b"QUIT :bye\r\n")
            while peer.recv(65536):
                pass
        return
    peer, new = stay(client)
    if new:
        enter(peer, b"c%07d" % client.draw.randrange(10 ** 7))
    peer.sendall(b"PING :%d\r\n" % client.draw.randrange(10 ** 6))
    until(client, b"PONG")


def join_channels(client):
    """One user who is in SIZE channels."""
    enter(stay(client)[0], b"everyone")
    for at in range(0, SIZE, 20):
        names = b",".join(b"#c%d" % i for i in range(at, min(SIZE, at + 20)))
        client.peer.sendall(b"JOIN %s\r\nPING :%d.\r\n" % (names, at))
        until(client, b"%d.\r\n" % at)
    KEPT.append(client.peer)


def ban_many(client):
    """An operator bans SIZE masks."""
    enter(stay(client)[0], b"oper")
    client.peer.sendall(b"OPER admin secret\r\n")
    until(client, b" 381 ")
    for at in range(SIZE):
        client.peer.sendall(b"GLINE spam%d*!*@*.host%d.example.com 0 :no\r\nPING :%d.\r\n" % (at, at, at))
        until(client, b"%d.\r\n" % at)
    KEPT.append(client.peer)


def send_junk(client, end):
    """Bytes without the end of a line, on a connection that stays."""
    time.sleep(0.5)
    with client.connect(client.port) as peer:
        peer.sendall(b"x" * SIZE)
        time.sleep(max(0, end - time.monotonic()))


# FTP, DICT and rsync
def listing(client):
    peer, new = stay(client)
    if new:
        until(client, b"220 ")
        peer.sendall(b"USER ftp\r\n")
        until(client, b"331 ")
        peer.sendall(b"PASS a@b\r\n")
        until(client, b"230 ")
    peer.sendall(b"STAT %sb\r\n" % (b"{a,a}" * 14) if rarely(client) else b"STAT p%d*\r\n" % client.draw.randrange(1, 10))
    until(client, b"213 End of status")


def word(client):
    peer, new = stay(client)
    if new:
        until(client, b"220 ")
    number = client.draw.randrange(10 ** 5)
    peer.sendall(b"MATCH words suffix x%05d\r\n" % number if rarely(client) else b"DEFINE words word%05dend\r\n" % number)
    got = b""
    while not any(line[:4] in (b"250 ", b"552 ") for line in got.split(b"\r\n")[:-1]):
        # It writes an answer in parts, each of which waits for the one before to be acknowledged.
        peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
        some = peer.recv(65536)
        if not some:
            raise OSError("closed")
        got += some


def module(client):
    source, name = ("127.0.0.2", b"far") if rarely(client) else ("127.0.0.1", b"near")
    with client.connect(client.port, source) as client.peer:
        until(client, b"\n")
        client.peer.sendall(b"@RSYNCD: 31.0 md5\n%s\n" % name)
        until(client, b"@RSYNCD: OK")
    client.peer = None


# HTTP through something
def forwarded(client):
    client.ask_once(client.port + (1 if rarely(client) else 0), b"127.0.0.1")


def echoed(client):
    peer, _ = stay(client)
    text = b"echo" + b"x" * client.draw.randrange(60, 2000)
    peer.sendall(text)
    left = len(text)
    while left > 0:
        some = peer.recv(65536)
        if not some:
            raise OSError("closed")
        left -= len(some)


def hold_many(client, end):
    """Forty connections that ask for nothing; with SPARE the server has files for that number of more ones."""
    time.sleep(1.5)
    spare, pid = int(os.environ.get("SPARE", 0)), int(os.environ["SERVER"])
    if spare:
        files = len(os.listdir(f"/proc/{pid}/fd")) + spare
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (files, files))
    held = [socket.socket() for _ in range(40)]
    for peer in held:
        peer.setblocking(False)
        peer.connect_ex(("127.0.0.1", client.port))
    time.sleep(max(0, end - time.monotonic()))


def proxied(client):
    client.ask_once(client.port, b"127.0.0.1")


def web(client, method, path, body=b""):
    peer, _ = stay(client)
    peer.sendall(b"%s %s HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n%s" % (method, path, len(body), body))
    head, _, body = until(client, b"\r\n\r\n").partition(b"\r\n\r\n")
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            while len(body) < int(line[15:]):
                body += client.peer.recv(65536)


def hook(client):
    web(client, b"POST", b"/hooks/%s?who=guest%d" % (b"far" if rarely(client) else b"near", client.draw.randrange(10 ** 6)))


def push(client):
    number = client.draw.randrange(SIZE)
    if rarely(client):
        web(client, b"PUT", b"/metrics/job/far/instance/%d" % number, metrics(number))
    else:
        web(client, b"GET", b"/-/healthy")


def metrics(number):
    return b"".join(b"# TYPE m%d gauge\nm%d{of=\"a\"} %d\n" % (i, i, number) for i in range(10))


def push_many(client):
    for number in range(SIZE):
        web(client, b"PUT", b"/metrics/job/far/instance/%d" % number, metrics(number))


def remote(client):
    number = b"7" * (30000 if rarely(client) else client.draw.randrange(5, 50))
    web(client, b"POST", b"/RPC2", b"<?xml version='1.0'?><methodCall><methodName>bits</methodName><params><param><value><array>"
        b"<data><value><int>%s</int></value></data></array></value></param></params></methodCall>" % number)


def stay_silent(client, end):
    """A connection on which nothing is asked."""
    time.sleep(0.5)
    with client.connect(client.port):
        time.sleep(max(0, end - time.monotonic()))


# More of DNS
def compared(client):
    dns(client, "h%d.%s.test" % (client.draw.randrange(1000), "far" if rarely(client) else "near"))


def hosted(client):
    dns(client, "far.test" if rarely(client) else "h%d.near.test" % client.draw.randrange(20))


def stored(client):
    dns(client, "h%d.x.test" % client.draw.randrange(20000 if rarely(client) else 20))


def looked_up(client):
    dns(client, "%s%d.x.test" % ("far" if rarely(client) else "near", client.draw.randrange(10 ** 6)))


def changed(client):
    """One more address of a name."""
    if not rarely(client):
        return dns(client, "h%d.x.test" % client.draw.randrange(20))
    client.count = (getattr(client, "count", client.draw.randrange(60000)) + 1) % 65536
    mark = struct.pack(">H", client.count)
    address = bytes([10, 1, client.draw.randrange(256), client.draw.randrange(256)])
    return datagram(client, client.port, mark + b"\x28\0\0\1\0\0\0\1\0\0\1x\4test\0\0\6\0\1\4many\xc0\x0c\0\1\0\1\0\0\0\x3c\0\4"
                    + address, lambda answer: answer[:2] == mark)


ASKS = {"rbldnsd-reload": listed, "ngircd-quit": chat, "ngircd-bans": chat, "ngircd-junk": chat, "vsftpd-glob": listing,
        "dictd-suffix": word, "rsync-reverse": module, "rinetd-rules": forwarded, "privoxy-log": proxied,
        "webhook-regex": hook, "webhook-pipe": hook, "pushgateway-check": push, "xmlrpc-digits": remote, "xmlrpc-idle": remote,
        "dnsdist-rules": compared, "twisted-hosts": hosted, "pdns-index": stored, "pdns-pipe": looked_up,
        "named-journal": changed, "rinetd-files": echoed}
PREPARE = {"ngircd-quit": join_channels, "ngircd-bans": ban_many, "pushgateway-check": push_many}
BESIDE = {"ngircd-junk": send_junk, "xmlrpc-idle": stay_silent, "rinetd-files": hold_many}


# The cases that came later; they use what is above.
if __name__ == "__main__":
    sys.modules["sealed"] = sys.modules["__main__"]
    import sealed_more
    import sealed_third
    import sealed_fourth
    import sealed_fifth
    import sealed_sixth
    import sealed_seventh
    import sealed_eighth
    import sealed_ninth
    for later in (sealed_more, sealed_third, sealed_fourth, sealed_fifth, sealed_sixth, sealed_seventh, sealed_eighth, sealed_ninth):
        ASKS.update(later.ASKS)
        PREPARE.update(later.PREPARE)
        BESIDE.update(later.BESIDE)


# What runs beside a server
def alive(pid):
    return os.path.exists(f"/proc/{pid}")


def names(address, pid, late):
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind((address, 53))
    server.settimeout(0.5)
    while alive(pid):
        try:
            asked, where = server.recvfrom(4096)
        except OSError:
            continue
        if late:
            answer = asked[:2] + b"\x81\x83" + asked[4:]
            threading.Timer(late / 1000, server.sendto, (answer, where)).start()


def reader(fifo, pid, pause):
    log = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    fcntl.fcntl(log, 1031, 4096)  # F_SETPIPE_SZ
    paused = time.monotonic()
    while alive(pid):
        if pause and time.monotonic() - paused > 2:
            time.sleep(pause / 1000)
            paused = time.monotonic()
        try:
            if not os.read(log, 65536):
                time.sleep(0.05)
        except BlockingIOError:
            time.sleep(0.001)


def drive(ask, client, pause, end, took):
    while time.monotonic() < end:
        time.sleep(client.draw.expovariate(1 / pause))
        client.rarely, sent = False, time.monotonic()
        try:
            ask(client)
        except OSError:
            client.peer = None
            took[2].append(0)
            continue
        took[client.rarely].append(time.monotonic() - sent)


def summed_up(took):
    took = sorted(took) or [0]
    return (f"{len(took)} mean {sum(took) / len(took) * 1e3:.2f} ms median {took[len(took) // 2] * 1e3:.2f} ms "
            f"p99 {took[len(took) * 99 // 100] * 1e3:.1f} ms longest {took[-1] * 1e3:.0f} ms, "
            f"{sum(one >= 1 for one in took)} of a second and more")


def main(load, port, back, conns, rate, rare, seconds, seed):
    if load in PREPARE:
        PREPARE[load](Client(port, back, 0, random.Random(seed)))
    took, end = ([], [], []), time.monotonic() + seconds
    clients = [Client(port, back, rare, random.Random(seed * 1000 + i)) for i in range(conns)]
    threads = [threading.Thread(target=drive, args=(ASKS[load], client, conns / rate, end, took), daemon=True)
               for client in clients]
    if load in BESIDE:
        beside = Client(port, back, 0, random.Random(seed))
        threads.append(threading.Thread(target=BESIDE[load], args=(beside, end), daemon=True))
    for thread in threads:
        thread.start()
    print("warm", flush=True)
    try:
        for thread in threads:
            thread.join()
    except KeyboardInterrupt:
        pass
    print(f"others {summed_up(took[0])}\nrare   {summed_up(took[1])}\nfailed {len(took[2])}")


if __name__ == "__main__":
    if sys.argv[1] == "names":
        names(sys.argv[2], *map(int, sys.argv[3:]))
    elif sys.argv[1] == "reader":
        reader(sys.argv[2], *map(int, sys.argv[3:]))
    else:
        main(sys.argv[1], *map(int, sys.argv[2:]))
