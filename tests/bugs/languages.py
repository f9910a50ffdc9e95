#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Ask Scope about servers in nine languages (languages/), of which some requests are slow, or one hangs.

Usage: languages.py [-a] [-d SECONDS] [-s SHARE] [-o DIR] [LANGUAGE[/KIND]...]      default: all of all, 10 s each, build/languages

LANGUAGE is go, node, nodemap (with the options that write a list of functions), java, javamap (with a frame pointer, and a list by jcmd), python,
python1 (one thread), pythonloop (asyncio), ruby, php, perl, rust or cpp. KIND is a function of languages/, or none: a healthy server.
Prints a line for each: whether the function is first, or for none whether nothing is abnormal, the verdict, and the functions named. Slow ones
are 3 % of the requests, or SHARE, and those that take longer and longer all of them; a server in which one hangs is attached to afterwards. With -a, traces of
an earlier run are analysed again.
Exit status: 0 however many are first. Needs root, perf events or the module, and the languages (a missing one is left out).
"""
import os
import re
import shutil
import struct
import subprocess
import sys
import time

from planted import HERE, Zoo, begin

SLOW = ("countWords matchRules packReport sortPrices writeLedger takeNap readPages runHook askPeer makeCopies saveNote askPacker "
        "hashParts parseOrders packFiles formatRows writeBook statPaths raiseErrors pollAnswer sweepHeap makeGarbage takeTicket copyOrders findRow "
        "holdSession readLater zipLater yieldOften askThread blockWorker bookOrder readCatalog").split()
FILES = {"go": "serve.go", "node": "serve.js", "nodemap": "serve.js", "java": "Serve.java", "javamap": "Serve.java", "python": "serve.py",
         "python1": "serve.py", "pythonloop": "serve.py", "ruby": "serve.rb", "php": "serve.php", "perl": "serve.pl", "rust": "serve.rs", "cpp": "serve.cc"}
TOOLS = {"go": "go", "node": "node", "nodemap": "node", "java": "javac", "javamap": "javac", "python": "/usr/bin/python3",
         "python1": "/usr/bin/python3", "pythonloop": "/usr/bin/python3", "ruby": "ruby", "php": "/usr/sbin/php-fpm8.2", "perl": "perl",
         "rust": "cargo", "cpp": "g++"}
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


def record(kind, content):
    return struct.pack("!BBHHBB", 1, kind, 1, len(content), 0, 0) + content


def fastcgi_bytes(path):
    values = {"SCRIPT_FILENAME": f"{HERE}/languages/serve.php", "REQUEST_METHOD": "GET", "REQUEST_URI": f"/{path}"}
    pairs = b"".join(bytes([len(name), len(value)]) + name.encode() + value.encode() for name, value in values.items())
    return record(1, struct.pack("!HB5x", 1, 0)) + record(4, pairs) + record(4, b"") + record(5, b"")


def built(language, out):
    """The command that runs the server, without its arguments."""
    if language == "go":
        if not os.path.exists(f"{out}/serve-go"):
            subprocess.run(["go", "build", "-o", f"{out}/serve-go", f"{HERE}/languages/serve.go"], check=True,
                           env={**os.environ, "GOCACHE": f"{out}/go-cache", "GOFLAGS": "-ldflags=-s"})
        return [f"{out}/serve-go"]
    if language in ("java", "javamap"):
        if not os.path.exists(f"{out}/Serve.class"):
            subprocess.run(["javac", "-d", out, f"{HERE}/languages/Serve.java"], check=True)
        return ["java", *(["-XX:+PreserveFramePointer"] if language == "javamap" else []), "-Dsun.net.httpserver.nodelay=true", "-cp", out, "Serve"]
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
    if language == "ruby":
        return ["ruby", f"{HERE}/languages/serve.rb"]
    if language == "perl":
        return ["perl", f"{HERE}/languages/serve.pl"]
    if language in ("node", "nodemap"):
        options = ["--perf-basic-prof", "--interpreted-frames-native-stack"] if language == "nodemap" else []
        return ["node", *options, f"{HERE}/languages/serve.js"]
    return ["/usr/bin/python3", f"{HERE}/languages/serve.py"]


class Languages(Zoo):
    """The servers of languages/."""
    name = "languages"
    hangs = "takeLock takeShared waitAnswer waitAny waitGroup sendOrder waitChild readPeer spinOn awaitFlag readFifo".split()
    growing = "findVisit readJournal".split()
    also = {"askPacker": ["packOrders"], "askPeer": ["ask"], "readPeer": ["ask"], "hashParts": ["hashPart"], "takeTicket": ["dropTicket"],
            "askThread": ["countLetters"], "raiseErrors": ["fail"], "makeGarbage": ["makeTree", "tree"]}
    servers = list(FILES)

    def missing(self, server):
        return "" if shutil.which(TOOLS[server]) else f"there is no {TOOLS[server]}"

    def kinds_of(self, server):
        with open(f"{HERE}/languages/{FILES[server]}", encoding="ascii") as file:
            text = file.read()
        return [kind for kind in SLOW + self.growing + self.hangs if re.search(rf"\b{kind}\b", text)] + ["none"]

    def command(self, server, port, peer, folder):
        if server == "php":
            with open(f"{folder}/pool.conf", "w", encoding="ascii") as file:
                file.write(POOL.format(port=port, peer=peer, folder=folder))
            return [TOOLS["php"], "-R", "-y", f"{folder}/pool.conf"]
        shape = {"python": ["threads"], "python1": ["one"], "pythonloop": ["loop"]}.get(server, [])
        return [*built(server, self.out), str(port), peer, folder, *shape]

    def text(self, server, path):
        return fastcgi_bytes(path) if server == "php" else super().text(server, path)

    def one_each(self, server):
        return server in ("php", "python1")

    def ends_answers(self, server):
        return server == "php"

    def beside(self, server, process, seconds):
        if server != "javamap":
            return None
        return begin(lambda: (time.sleep(seconds * 0.7), subprocess.run(
            ["jcmd", str(process.pid), "Compiler.perfmap"], stdout=subprocess.DEVNULL, check=False)))


if __name__ == "__main__":
    sys.exit(Languages().main())
