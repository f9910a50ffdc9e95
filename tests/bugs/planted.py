# SPDX-License-Identifier: GPL-2.0-only
"""Ask Scope about small servers in which bugs are planted: what languages.py, libraries.py and frameworks.py share.

A server is started as SERVER PORT PEER FOLDER …, takes requests whose path names the function to run, and asks the peer, which answers
after 20 ms or never. A Zoo has the rest: how its servers are started and asked, and which kinds they have.
"""
import argparse
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SCOPE = os.environ.get("SCOPE", f"{HERE}/../../build/user/scope")
SHARE = 0.03


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


def begin(work, *args):
    """A process of its own."""
    pid = os.fork()
    if not pid:
        try:
            work(*args)
        finally:
            os._exit(1)
    return pid


def free_port(kind=socket.SOCK_STREAM):
    """Of datagrams one that the kernel does not give by itself: clients have those."""
    for port in random.sample(range(20000, 32000), 100) if kind == socket.SOCK_DGRAM else [0]:
        with socket.socket(socket.AF_INET, kind) as one:
            try:
                one.bind(("127.0.0.1", port))
                return one.getsockname()[1]
            except OSError:
                pass
    raise SystemExit("no port is free")


def connected(port, kind=socket.SOCK_STREAM):
    client = socket.socket(socket.AF_INET, kind)
    client.settimeout(None if kind == socket.SOCK_STREAM else 1)
    client.connect(("127.0.0.1", port))
    return client


class Zoo:
    """Servers in which bugs are planted. A zoo overrides what is not so in its own."""
    name = "zoo"
    hangs = ()
    growing = ()
    also = {}           # functions that are as right, since one keeps the other waiting or is a part of it
    servers = ()        # their names, in order
    out = ""            # the folder of programs and traces
    share = SHARE       # of the requests, which ask for the function

    def missing(self, server):
        """Why the server is left out, or ""."""
        raise NotImplementedError

    def kinds_of(self, server):
        raise NotImplementedError

    def command(self, server, port, peer, folder):
        raise NotImplementedError

    def text(self, _server, path):
        """What a client sends to ask for the path."""
        return http_bytes(path)

    def read_answer(self, client):
        """Returns what is read of an answer, all of it unless the connection's end ends it: nothing if the connection has ended."""
        return client.recv(4096)

    def one_each(self, _server):
        """Whether a connection has one request."""
        return False

    def ends_answers(self, _server):
        """Whether the end of a connection ends its answer."""
        return False

    def socket_kind(self, _server):
        return socket.SOCK_STREAM

    def beside(self, _server, _process, _seconds):
        """A process id of what must run while the capture does, or None."""
        return None

    def connect(self, server, port):
        """A client's connection."""
        return connected(port, self.socket_kind(server))

    def ask_often(self, server, port, slow, share, seed):
        """A client: on one connection, or on one for each request."""
        chance = random.Random(seed)
        client = None
        while True:
            path = slow if slow and chance.random() < share else ""
            try:
                client = client or self.connect(server, port)
                client.sendall(self.text(server, path))
                if not self.read_answer(client) or self.one_each(server):
                    while self.ends_answers(server) and client.recv(4096):
                        pass
                    client.close()
                    client = None
            except OSError:
                client = None
            time.sleep(chance.uniform(0.005, 0.03))

    def load(self, server, port, kind):
        hangs = kind in self.hangs
        slow = "" if hangs or kind == "none" else kind
        for seed in range(4):
            share = 1 if kind in self.growing else self.share
            threading.Thread(target=self.ask_often, args=(server, port, slow, share, seed), daemon=True).start()
        time.sleep(1)
        if hangs:
            stuck = self.connect(server, port)
            stuck.sendall(self.text(server, kind))
        time.sleep(1000)

    def start(self, server, port, peer, folder):
        with open(f"{folder}/log", "ab") as log:
            process = subprocess.Popen(self.command(server, port, peer, folder), stdout=log, stderr=log, stdin=subprocess.DEVNULL,
                                       start_new_session=True, cwd=folder)
        for _ in range(200):
            try:
                with connected(port, self.socket_kind(server)) as client:
                    if self.socket_kind(server) == socket.SOCK_DGRAM:
                        client.sendall(self.text(server, ""))
                        client.recv(4096)
                return process
            except OSError:
                time.sleep(0.05)
        raise SystemExit(f"{self.name}: the server {server} does not start: see {folder}/log")

    def capture(self, server, kind, seconds):
        folder = f"{self.out}/{server}-{kind}"
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        listener = socket.create_server(("127.0.0.1", 0))
        peer = f"127.0.0.1:{listener.getsockname()[1]}"
        port = free_port(self.socket_kind(server))
        process = self.start(server, port, peer, folder)
        pids = [begin(peer_serve, listener), begin(self.load, server, port, kind)]
        listener.close()
        try:
            time.sleep(4 if kind in self.hangs else 2)
            pids += [pid for pid in [self.beside(server, process, seconds)] if pid]
            subprocess.run([SCOPE, "record", "-p", str(process.pid), "-d", str(seconds), "-o", f"{folder}/trace"],
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        finally:
            for pid in pids:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def right(self, kind, named):
        if kind == "none":
            return not named
        words = [kind, *self.also.get(kind, [])]
        return bool(named) and any(re.search(rf"\b{word}\b", named[0]) for word in words)

    def say(self, server, kind):
        ran = subprocess.run([SCOPE, "report", "-i", f"{self.out}/{server}-{kind}/trace", "--format", "json"], capture_output=True, text=True,
                             check=False)
        if ran.returncode not in (0, 2) or not ran.stdout:
            print("not", f"{server}/{kind:12} no report:", ran.stderr.strip()[-200:], flush=True)
            return
        answer = json.loads(ran.stdout)
        named = [one["function"]["name"] for one in answer["findings"] if one["function"]]
        print("ok " if self.right(kind, named) else "not", f"{server}/{kind:12} {answer['headline']:20}", *named[:3], flush=True)

    def main(self):
        parser = argparse.ArgumentParser()
        parser.add_argument("-a", dest="again", action="store_true")
        parser.add_argument("-d", dest="seconds", type=int, default=10)
        parser.add_argument("-o", dest="out", default=f"{HERE}/../../build/{self.name}")
        parser.add_argument("-s", dest="share", type=float, default=SHARE)
        parser.add_argument("which", nargs="*", metavar="SERVER[/KIND]")
        options = parser.parse_args()
        self.out = os.path.abspath(options.out)
        self.share = options.share
        os.makedirs(self.out, exist_ok=True)
        for which in options.which or self.servers:
            server, _, kind = which.partition("/")
            why = self.missing(server)
            if why:
                print(f"left out: {server}, because {why}")
                continue
            for each in [kind] if kind else self.kinds_of(server):
                if not options.again:
                    self.capture(server, each, options.seconds)
                self.say(server, each)
        return 0
