# SPDX-License-Identifier: GPL-2.0-only
"""Connections that begin with a handshake of 2 ms, and then ask eight times for what takes 0.2 ms."""
from conns import serve_by_connection

PATH = ["start_connection"]


def serve_with_handshake(seed, find_key_ns):
    """find_key_ns(random): how long the client's key is looked for."""
    def connection(thread, fd, random):
        thread.call("read", 3_000, ret=512, args=fd, path=PATH + ["greet", "libc:read"])
        thread.call("getrandom", 2_000, ret=32, path=PATH + ["greet"])
        thread.run(random.randint(1_800_000, 2_200_000), PATH + ["greet", "make_key"])
        thread.run(find_key_ns(random), PATH + ["greet", "find_key"])
        # One in two needs more memory for it.
        for name in ["mmap", "munmap", "madvise", "mprotect"] if random.random() < 0.5 else ["brk"]:
            thread.call(name, 3_000, path=PATH + ["greet", "make_key"])
        for name in ["getpid", "gettid", "getuid"]:
            thread.call(name, 1_000, path=PATH + ["greet"])
        thread.call("write", 8_000, ret=512, args=fd, path=PATH + ["greet"])
        for _ in range(8):
            thread.sleep("read", random.randint(200_000, 700_000), ret=64, args=fd,
                         path=PATH + ["read_request", "libc:read"])
            thread.run(random.randint(180_000, 220_000), PATH + ["handle", "parse"])
            thread.call("write", 8_000, ret=64, args=fd, path=PATH + ["answer"])
    serve_by_connection(seed, connection)
