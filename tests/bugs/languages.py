#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Ask Scope about servers in seven languages (languages/), of which some requests are slow, or one hangs.

Usage: languages.py [-a] [-d SECONDS] [-o DIR] [LANGUAGE[/KIND]...]      default: all of all, 10 s each, build/languages

LANGUAGE is go, node, java, python, python1 (one thread), pythonloop (asyncio), php, rust or cpp. KIND is a function of languages/, or none: a healthy server.
Prints a line for each: whether the function is first, or for none whether nothing is abnormal, the verdict, and the functions named. Slow ones
are 3 % of the requests, and those that take longer and longer all of them; a server in which one hangs is attached to afterwards. With -a, traces of
an earlier run are analysed again.
Exit status: 0 however many are first. Needs root, perf events or the module, and the languages (a missing one is left out).
"""
import argparse
import json
import os
import random
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SCOPE = os.environ.get("SCOPE", f"{HERE}/../../build/user/scope")
HANGS = "takeLock takeShared waitAnswer waitAny waitGroup sendOrder waitChild readPeer spinOn awaitFlag readFifo".split()
SLOW = ("countWords matchRules packReport sortPrices writeLedger takeNap readPages runHook askPeer makeCopies saveNote askPacker "
        "hashParts parseOrders packFiles formatRows writeBook statPaths raiseErrors pollAnswer sweepHeap makeGarbage takeTicket copyOrders findRow "
        "holdSession readLater zipLater yieldOften askThread blockWorker bookOrder readCatalog").split()
GROWING = "findVisit readJournal".split()
# Functions that are as right, since one keeps the other waiting or is a part of it.
ALSO = {"askPacker": ["packOrders"], "askPeer": ["ask"], "readPeer": ["ask"], "hashParts": ["hashPart"], "takeTicket": ["dropTicket"],
        "askThread": ["countLetters"], "makeGarbage": ["makeTree", "tree"]}
FILES = {"go": "serve.go", "node": "serve.js", "java": "Serve.java", "python": "serve.py", "python1": "serve.py", "pythonloop": "serve.py",
         "php": "serve.php", "rust": "serve.rs", "cpp": "serve.cc"}
TOOLS = {"go": "go", "node": "node", "java": "javac", "python": "/usr/bin/python3", "python1": "/usr/bin/python3", "pythonloop": "/usr/bin/python3",
         "php": "/usr/sbin/php-fpm8.2", "rust": "cargo", "cpp": "g++"}
POOL = """[global]
daemonize = no
error_log = {folder}/log
[www]
user = root
group = root
listen = 127.0.0.1:{port}
pm = static
pm.max_children = 4
env[PEER] = {peer}
env[FOLDER] = {folder}
"""

CARGO = """[package]
name = "serve"
version = "0.0.0"
edition = "2021"
[[bin]]
name = "serve"
path = "{source}"
[dependencies]
tokio = {{ version = "1", features = ["rt-multi-thread", "net", "io-util", "time", "sync", "macros"] }}
"""
# The crates that Debian packages.
CRATES = ["--config", "source.crates-io.replace-with='debian'", "--config", "source.debian.directory='/usr/share/cargo/registry'"]


def kinds_of(language):
    with open(f"{HERE}/languages/{FILES[language]}", encoding="ascii") as file:
        text = file.read()
    return [kind for kind in SLOW + GROWING + HANGS if re.search(rf"\b{kind}\b", text)] + ["none"]


def peer_serve(listener):
    """Answers after 20 ms, or never."""
    def one(client):
        if client.recv(10).startswith(b"slow"):
            time.sleep(0.02)
            client.sendall(b"done\n")
        else:
            time.sleep(1000)
        client.close()
    while True:
        threading.Thread(target=one, args=(listener.accept()[0],), daemon=True).start()


def http_bytes(path):
    return f"GET /{path} HTTP/1.1\r\nHost: a\r\n\r\n".encode()


def record(kind, content):
    return struct.pack("!BBHHBB", 1, kind, 1, len(content), 0, 0) + content


def fastcgi_bytes(path):
    values = {"SCRIPT_FILENAME": f"{HERE}/languages/serve.php", "REQUEST_METHOD": "GET", "REQUEST_URI": f"/{path}"}
    pairs = b"".join(bytes([len(name), len(value)]) + name.encode() + value.encode() for name, value in values.items())
    return record(1, struct.pack("!HB5x", 1, 0)) + record(4, pairs) + record(4, b"") + record(5, b"")


def ask_often(port, slow, share, one_each, seed):
    """A client: on one connection, or on one for each request."""
    chance = random.Random(seed)
    client = None
    while True:
        path = slow if slow and chance.random() < share else ""
        try:
            client = client or socket.create_connection(("127.0.0.1", port))
            client.sendall(fastcgi_bytes(path) if one_each == "php" else http_bytes(path))
            if not client.recv(4096) or one_each:
                while one_each == "php" and client.recv(4096):
                    pass
                client.close()
                client = None
        except OSError:
            client = None
        time.sleep(chance.uniform(0.005, 0.03))


def load(language, port, kind, hangs):
    one_each = language if language in ("php", "python1") else ""
    for seed in range(4):
        threading.Thread(target=ask_often, args=(port, "" if hangs else kind, 1 if kind in GROWING else 0.03, one_each, seed), daemon=True).start()
    time.sleep(1)
    if hangs:
        stuck = socket.create_connection(("127.0.0.1", port))
        stuck.sendall(fastcgi_bytes(kind) if language == "php" else http_bytes(kind))
        time.sleep(1000)
    time.sleep(1000)


def begin(work, *args):
    """A process of its own."""
    pid = os.fork()
    if not pid:
        try:
            work(*args)
        finally:
            os._exit(1)
    return pid


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def built(language, out):
    """The command that runs the server, without its arguments."""
    if language == "go":
        if not os.path.exists(f"{out}/serve-go"):
            subprocess.run(["go", "build", "-o", f"{out}/serve-go", f"{HERE}/languages/serve.go"], check=True,
                           env={**os.environ, "GOCACHE": f"{out}/go-cache", "GOFLAGS": "-ldflags=-s"})
        return [f"{out}/serve-go"]
    if language == "java":
        if not os.path.exists(f"{out}/Serve.class"):
            subprocess.run(["javac", "-d", out, f"{HERE}/languages/Serve.java"], check=True)
        return ["java", "-XX:+PreserveFramePointer", "-Dsun.net.httpserver.nodelay=true", "-cp", out, "Serve"]
    if language == "cpp":
        if not os.path.exists(f"{out}/serve-cpp"):
            subprocess.run(["g++", "-O2", "-pthread", "-o", f"{out}/serve-cpp", f"{HERE}/languages/serve.cc"], check=True)
        return [f"{out}/serve-cpp"]
    if language == "rust":
        if not os.path.exists(f"{out}/rust/release/serve"):
            os.makedirs(f"{out}/rust", exist_ok=True)
            with open(f"{out}/rust/Cargo.toml", "w", encoding="ascii") as file:
                file.write(CARGO.format(source=f"{HERE}/languages/serve.rs"))
            subprocess.run(["cargo", "build", "--quiet", "--offline", "--release", "--target-dir", f"{out}/rust", *CRATES], cwd=f"{out}/rust",
                           check=True)
        return [f"{out}/rust/release/serve"]
    if language == "node":
        return ["node", "--perf-basic-prof", "--interpreted-frames-native-stack", f"{HERE}/languages/serve.js"]
    return ["/usr/bin/python3", f"{HERE}/languages/serve.py"]


def start(language, port, peer, out, folder):
    if language == "php":
        with open(f"{folder}/pool.conf", "w", encoding="ascii") as file:
            file.write(POOL.format(port=port, peer=peer, folder=folder))
        command = [TOOLS["php"], "-R", "-y", f"{folder}/pool.conf"]
    else:
        shape = {"python": ["threads"], "python1": ["one"], "pythonloop": ["loop"]}.get(language, [])
        command = [*built(language, out), str(port), peer, folder, *shape]
    with open(f"{folder}/log", "ab") as log:
        server = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, start_new_session=True, cwd=folder)
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return server
        except OSError:
            time.sleep(0.05)
    raise SystemExit(f"languages: the server in {language} does not start: see {folder}/log")


def capture(language, kind, seconds, out):
    folder = f"{out}/{language}-{kind}"
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    listener = socket.create_server(("127.0.0.1", 0))
    peer = f"127.0.0.1:{listener.getsockname()[1]}"
    port = free_port()
    server = start(language, port, peer, out, folder)
    pids = [begin(peer_serve, listener), begin(load, language, port, "" if kind == "none" else kind, kind in HANGS)]
    listener.close()
    try:
        time.sleep(4 if kind in HANGS else 2)
        if language == "java":
            pids.append(begin(lambda: (time.sleep(seconds * 0.7), subprocess.run(
                ["jcmd", str(server.pid), "Compiler.perfmap"], stdout=subprocess.DEVNULL, check=False))))
        subprocess.run([SCOPE, "record", "-p", str(server.pid), "-d", str(seconds), "-o", f"{folder}/trace"],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()


def right(kind, answer, named):
    if kind == "none":
        return not named
    words = [kind, *ALSO.get(kind, [])]
    return bool(named) and any(re.search(rf"\b{word}\b", named[0]) for word in words)


def say(language, kind, out):
    ran = subprocess.run([SCOPE, "report", "-i", f"{out}/{language}-{kind}/trace", "--format", "json"], capture_output=True, text=True, check=False)
    if ran.returncode not in (0, 2) or not ran.stdout:
        print("not", f"{language}/{kind:12} no report:", ran.stderr.strip()[-200:], flush=True)
        return
    answer = json.loads(ran.stdout)
    named = [one["function"]["name"] for one in answer["findings"] if one["function"]]
    print("ok " if right(kind, answer, named) else "not", f"{language}/{kind:12} {answer['headline']:20}", *named[:3], flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-a", dest="again", action="store_true")
    parser.add_argument("-d", dest="seconds", type=int, default=10)
    parser.add_argument("-o", dest="out", default=f"{HERE}/../../build/languages")
    parser.add_argument("which", nargs="*", metavar="LANGUAGE[/KIND]")
    options = parser.parse_args()
    out = os.path.abspath(options.out)
    os.makedirs(out, exist_ok=True)
    for which in options.which or FILES:
        language, _, kind = which.partition("/")
        if not shutil.which(TOOLS[language]):
            print(f"left out: {language}, because there is no {TOOLS[language]}")
            continue
        for each in [kind] if kind else kinds_of(language):
            if not options.again:
                capture(language, each, options.seconds, out)
            say(language, each, out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
