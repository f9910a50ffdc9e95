#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Ask Scope about servers of Python's http.server in which one request hangs, in one of several threads or in the only one.

Usage: python_hangs.py [-d SECONDS] [KIND...]      default: all kinds, 12 s each

Prints a line for each: whether the function is first, the verdict, and the functions named. It attaches after the hang began. Exit
status: 0 however many are first. Needs root, and perf events or the module.
"""
import argparse
import http.server
import json
import os
import queue
import select
import signal
import socket
import subprocess
import sys
import threading
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCOPE = os.environ.get("SCOPE", f"{TOP}/build/user/scope")
PAIR = socket.socketpair()


def take_lock():
    lock = threading.Lock()
    lock.acquire()
    lock.acquire()


def wait_queue():
    queue.Queue().get()


def wait_event():
    threading.Event().wait()


def run_child():
    subprocess.run(["sleep", "1000"], check=False)


def ask_peer():
    PAIR[0].recv(1)


def poll_peer():
    select.select([PAIR[0]], [], [])


def nap():
    while True:
        time.sleep(0.02)


KINDS = {each.__name__: each for each in (take_lock, wait_queue, wait_event, run_child, ask_peer, poll_peer, nap)}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        if self.path != "/":
            KINDS[self.path[1:]]()
        body = str(sum(i * i for i in range(2000))).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def ask_often(port, closes):
    """A client: on one connection, or on one for each request."""
    client = None
    while True:
        try:
            client = client or socket.create_connection(("127.0.0.1", port))
            client.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n" + closes * b"Connection: close\r\n" + b"\r\n")
            client.recv(4096)
            client = None if closes else client
        except OSError:
            client = None
        time.sleep(0.01)


def begin(work):
    """A process of its own."""
    pid = os.fork()
    if not pid:
        work()
        os._exit(0)
    return pid


def load(port, kind, closes):
    for _ in range(4):
        threading.Thread(target=ask_often, args=(port, closes), daemon=True).start()
    time.sleep(0.7)
    socket.create_connection(("127.0.0.1", port)).sendall(f"GET /{kind} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
    time.sleep(1000)


def ask(kind, threads, seconds):
    server = (http.server.ThreadingHTTPServer if threads else http.server.HTTPServer)(("127.0.0.1", 0), Handler)
    pids = [begin(server.serve_forever), begin(lambda: load(server.server_port, kind, not threads))]
    time.sleep(3)
    try:
        ran = subprocess.run([SCOPE, "report", "-p", str(pids[0]), "-d", str(seconds), "--format", "json"],
                             capture_output=True, text=True, check=False)
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        server.server_close()
    answer = json.loads(ran.stdout)
    named = [one["function"]["name"] for one in answer["findings"] if one["function"]]
    print("ok " if named[:1] == [kind] else "not", f"{'threads' if threads else 'one':8} {kind:12} {answer['headline']:20}", *named[:3],
          flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-d", dest="seconds", type=int, default=12)
    parser.add_argument("kinds", nargs="*", metavar="KIND", choices=[*KINDS, []])
    options = parser.parse_args()
    for threads in (True, False):
        for kind in options.kinds or KINDS:
            ask(kind, threads, options.seconds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
