#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Ask Scope about servers on the C libraries that daemons use, and of designs of their own (libraries/), of which some requests are slow, or one hangs.

Usage: libraries.py [-a] [-d SECONDS] [-s SHARE] [-o DIR] [SERVER[/KIND]...]      default: all of all, 10 s each, build/libraries

SERVER is event (libevent), loops (libevent, three threads), uv, uvwork (libuv and its pool), ev (libev), glib, glibpool (GLib's main loop), coro
(coroutines by swapcontext), asio (Boost.Asio with coroutines of C++20), uring (io_uring), udp, udpthreads (datagrams), cgi (a process for each
request), message, ring (processes that take requests from a queue of System V or from shared memory), fds (signalfd, timerfd, eventfd), microhttpd (libmicrohttpd, four
loops), connection (the same, a thread each), poco (POCO), rest (the C++ REST SDK), zmq (ZeroMQ and four workers), soup (libsoup) or grpc (gRPC,
four completion queues).
KIND is a function of libraries/, or none: a healthy server.
Prints a line for each: whether the function is first, or for none whether nothing is abnormal, the verdict, and the functions named. Slow ones
are 3 % of the requests, or SHARE; a server in which one hangs is attached to afterwards. With -a, traces of an earlier run are analysed again.
Exit status: 0 however many are first. Needs root, perf events or the module, and the libraries (`scripts/setup.sh libraries`).
"""
import os
import re
import socket
import subprocess
import sys

from planted import HERE, Zoo

FOLDER = f"{HERE}/libraries"
# The source, the libraries of pkg-config or for the linker, and the fourth argument of each server.
SERVERS = {
    "event": ("event.c", "-levent", ""), "loops": ("loops.c", "-levent", ""), "uv": ("uv.c", "-luv", ""), "uvwork": ("uv.c", "-luv", "work"),
    "ev": ("ev.c", "-lev", ""), "glib": ("glib.c", "gio-2.0", ""), "glibpool": ("glib.c", "gio-2.0", "pool"), "coro": ("coro.c", "", ""),
    "asio": ("asio.cc", "", ""), "uring": ("uring.c", "-luring", ""), "udp": ("udp.c", "", ""), "udpthreads": ("udp.c", "", "threads"),
    "cgi": ("cgi.c", "", ""), "message": ("queue.c", "", ""), "ring": ("queue.c", "", "ring"), "fds": ("fds.c", "", ""),
    "microhttpd": ("microhttpd.c", "-lmicrohttpd", ""), "connection": ("microhttpd.c", "-lmicrohttpd", "connection"),
    "poco": ("poco.cc", "-lPocoNet -lPocoFoundation", ""), "rest": ("rest.cc", "-lcpprest -lboost_system -lssl -lcrypto", ""),
    "zmq": ("zmq.c", "-lzmq", ""), "soup": ("soup.c", "libsoup-3.0", ""), "grpc": ("grpc.cc", "grpc++", ""),
}


class GrpcClient:
    """A connection that asks by gRPC, in the words of a socket."""
    def __init__(self, port):
        import grpc  # pylint: disable=import-outside-toplevel    it must not be there before a process forks
        self.channel, self.answer = grpc.insecure_channel(f"127.0.0.1:{port}"), None

    def sendall(self, text):
        self.answer = self.channel.unary_unary(text.decode()).future(b"")

    def recv(self, _size):
        return self.answer.result()

    def close(self):
        self.channel.close()


class Libraries(Zoo):
    """The servers of libraries/."""
    name = "libraries"
    hangs = "take_lock poll_peer spin_on wait_signal fill_pipe wait_child".split()
    slow = ("count_primes read_bytes take_nap ask_peer take_ticket save_note make_copies run_hook sort_rows match_rules pack_text write_log "
            "ask_later").split()
    also = {"take_ticket": ["keep_ticket"], "sort_rows": ["compare_rows"], "write_log": ["drain_log"]}
    servers = list(SERVERS)

    def __init__(self):
        self.failed = {}
        self.port = 0

    def kinds_of(self, server):
        """Those of kinds.c, which all have, and those of the server's own source."""
        texts = ""
        for file in ("kinds.c", SERVERS[server][0]):
            with open(f"{FOLDER}/{file}", encoding="ascii") as source:
                texts += source.read()
        return [kind for kind in [*self.slow, *self.hangs] if re.search(rf"\b{kind}\b", texts)] + ["none"]

    def command(self, server, port, peer, folder):
        self.port = port
        return [f"{self.out}/serve-{SERVERS[server][0]}", str(port), peer, folder, *filter(None, [SERVERS[server][2]])]

    def missing(self, server):
        source = SERVERS[server][0]
        if source not in self.failed:
            self.failed[source] = self.build(source, SERVERS[server][1])
        return self.failed[source]

    def build(self, source, library):
        """Builds the server, unless it is there. Returns why it cannot be run, or ""."""
        program = f"{self.out}/serve-{source}"
        if not os.path.exists(program):
            options = ["-O2", "-Wall", "-Wextra", "-pthread"]
            flags = library.split() if library.startswith("-") else []
            if library and not flags:
                ran = subprocess.run(["pkg-config", "--cflags", "--libs", library], capture_output=True, text=True, check=False)
                flags = ran.stdout.split()
            compiler = ["g++", "-std=c++20", "-fcoroutines"] if source.endswith(".cc") else ["gcc"]
            kinds = f"{self.out}/kinds.o"
            subprocess.run(["gcc", *options, "-c", "-o", kinds, f"{FOLDER}/kinds.c"], check=True)
            ran = subprocess.run([*compiler, *options, "-o", program, f"{FOLDER}/{source}", kinds, *flags, "-lz"], capture_output=True,
                                 text=True, check=False)
            if ran.returncode:
                return f"{source} does not build: " + ran.stderr.strip().splitlines()[0]
        if source == "uring.c" and subprocess.run([program], check=False).returncode == 77:
            return "the kernel refuses io_uring"
        return ""

    def capture(self, server, kind, seconds):
        super().capture(server, kind, seconds)
        for key in (2 * self.port, 2 * self.port + 1) if server == "message" else ():
            subprocess.run(["ipcrm", "--queue-key", str(key)], check=False)

    def text(self, server, path):
        return f"/s/{path}".encode() if server == "grpc" else super().text(server, path)

    def connect(self, server, port):
        return GrpcClient(port) if server == "grpc" else super().connect(server, port)

    def one_each(self, server):
        return server == "cgi"

    def ends_answers(self, server):
        return server == "cgi"

    def socket_kind(self, server):
        return socket.SOCK_DGRAM if server.startswith("udp") else socket.SOCK_STREAM


if __name__ == "__main__":
    sys.exit(Libraries().main())
