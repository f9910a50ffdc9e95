# SPDX-License-Identifier: GPL-2.0-only
"""A web server in Python, of which each path but / is a bug of its own: see languages.py."""
import asyncio
import gc
import gzip
import hashlib
import http.server
import json
import os
import pickle
import queue
import re
import select
import socket
import sqlite3
import subprocess
import sys
import threading
import time

# A server of ../frameworks/ imports this file, and has the rest in its environment.
PORT, PEER, FOLDER, SHAPE = os.environ["SERVE"].split() if "SERVE" in os.environ else sys.argv[1:5]
WORDS = "the quick brown fox jumps over the lazy dog " * 3000
ledger = threading.Lock()
orders = queue.Queue()
visits = []
database = sqlite3.connect(":memory:", check_same_thread=False)
flag = False


def usual():
    with ledger:
        return sum(i * i for i in range(2000))


def countWords():
    n = 0
    for letter in WORDS:
        if letter == " ":
            n += 1
    return n


def matchRules():
    return int(bool(re.match("(a+)+$", "a" * 20 + "b")))


def packReport():
    return len(json.dumps([{"a": i, "b": str(i)} for i in range(8000)]))


def sortPrices():
    return sorted((i * 7919 % 40009 for i in range(40000)), key=lambda price: -price)[0]


def writeLedger():
    with ledger:
        time.sleep(0.02)
    return 0


def takeNap():
    time.sleep(0.02)
    return 0


def readPages():
    n = 0
    for _ in range(400):
        with open("/etc/passwd", encoding="ascii") as page:
            n += len(page.read())
    return n


def runHook():
    return subprocess.run(["sleep", "0.02"], check=False).returncode


def ask(what):
    host, port = PEER.split(":")
    with socket.create_connection((host, int(port))) as peer:
        peer.sendall(what)
        return len(peer.recv(10))


def askPeer():
    return ask(b"slow\n")


def makeCopies():
    text = b""
    for _ in range(400):
        text = text + WORDS[:1000].encode()
    return len(text)


def saveNote():
    with open(f"{FOLDER}/note", "w", encoding="ascii") as note:
        for _ in range(20):
            note.write("note\n")
            note.flush()
            os.fsync(note.fileno())
    return 0


def askPacker():
    answer = queue.Queue()
    orders.put(answer)
    return answer.get()


def packOrders():
    while True:
        answer = orders.get()
        time.sleep(0.02)
        answer.put(1)


def hashParts():
    return hashlib.pbkdf2_hmac("sha256", b"secret", b"salt", 20000)[0]


def parseOrders():
    return len(json.loads("[" + '{"name":"a book","price":12,"tags":["x","y"]},' * 30000 + "{}]"))


def packFiles():
    return len(gzip.compress((WORDS * 24).encode(), 9))


def formatRows():
    return sum(len(time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(i)) + f"{i:10.2f}") for i in range(6000))


# Holds the lock while it writes; others wait for it.
def writeBook():
    with ledger:
        with open(f"{FOLDER}/book", "w", encoding="ascii") as book:
            for _ in range(20):
                book.write("page\n")
                book.flush()
                os.fsync(book.fileno())
    return 0


def statPaths():
    return sum(os.path.exists("/usr/share/none") for _ in range(6000))


def raiseErrors():
    n = 0
    for i in range(40000):
        try:
            n += {}[i]
        except KeyError:
            n += 1
    return n


def pollAnswer():
    answer = []
    threading.Timer(0.02, answer.append, (1,)).start()
    while not answer:
        pass
    return answer[0]


def sweepHeap():
    return sum(gc.collect() for _ in range(8))


def copyOrders():
    return len(pickle.loads(pickle.dumps([{"a": i, "b": str(i)} for i in range(20000)])))


def findRow():
    return len(database.execute("SELECT * FROM rows WHERE name LIKE '%no%' OR size < 0").fetchall())


def findVisit():
    visits.extend(range(len(visits), len(visits) + 40))
    return int(-1 in visits)


def readJournal():
    with open(f"{FOLDER}/journal", "a+", encoding="ascii") as journal:
        journal.write("a visit\n" * 20)
        journal.seek(0)
        return sum(len(line) for line in journal)


def takeLock():
    lock = threading.Lock()
    lock.acquire()
    lock.acquire()


def takeShared():
    threading.Semaphore(0).acquire()


def waitAnswer():
    queue.Queue().get()


def waitAny():
    select.select([socket.socketpair()[0]], [], [])


def waitGroup():
    threading.Event().wait()


def waitChild():
    subprocess.run(["sleep", "1000"], check=False)


def readPeer():
    ask(b"never\n")


def spinOn():
    while not flag:
        pass


def awaitFlag():
    while not flag:
        time.sleep(0.02)


def readFifo():
    os.mkfifo(f"{FOLDER}/fifo")
    with open(f"{FOLDER}/fifo", "rb") as fifo:
        fifo.read()


KINDS = {each.__name__: each for each in (
    countWords, matchRules, packReport, sortPrices, writeLedger, takeNap, readPages, runHook, askPeer, makeCopies, saveNote, askPacker, hashParts,
    parseOrders, packFiles, formatRows, writeBook, statPaths, raiseErrors, pollAnswer, sweepHeap, copyOrders, findRow,
    findVisit, readJournal,
    takeLock, takeShared, waitAnswer, waitAny, waitGroup, waitChild, readPeer, spinOn, awaitFlag, readFifo)}


def answer(path):
    """What the body of the answer is."""
    return f"{usual() + (KINDS.get(path[1:], int)() or 0)}\n"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        body = answer(self.path).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


async def serve_client(reader, writer):
    """One loop for all clients; what a request does stops it."""
    while line := await reader.readline():
        while (await reader.readline()).strip():
            pass
        body = answer(line.split()[1].decode()).encode()
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
        await writer.drain()
    writer.close()


async def serve_loop():
    async with await asyncio.start_server(serve_client, "127.0.0.1", int(PORT)) as server:
        await server.serve_forever()


def begin():
    threading.Thread(target=packOrders, daemon=True).start()
    database.execute("CREATE TABLE rows (name TEXT, size INTEGER)")
    database.executemany("INSERT INTO rows VALUES (?, ?)", ((f"row {i}", i) for i in range(60000)))


def main():
    begin()
    if SHAPE == "loop":
        asyncio.run(serve_loop())
    shape = http.server.ThreadingHTTPServer if SHAPE == "threads" else http.server.HTTPServer
    shape(("127.0.0.1", int(PORT)), Handler).serve_forever()


if __name__ == "__main__":
    main()
