# SPDX-License-Identifier: GPL-2.0-only
"""A thread for each connection, which speaks first: it asks who the client is, greets it, and waits for what it asks. For 1 client in 20
it looks in a file as well, which takes 0.3 ms; for another 1 in 20 it waits 25 ms before it asks.
Answer: wait_turn, by blocking. No client has asked anything by then, so greetings are compared with greetings."""
from conns import serve_by_connection

PATH = ["start_connection"]
GREET = PATH + ["greet"]


def connection(thread, fd, random, late=0.05):
    thread.call("getpeername", 2_000, args=fd, path=GREET)
    if random.random() < late:
        thread.sleep("nanosleep", random.randint(24_000_000, 26_000_000), path=GREET + ["wait_turn", "libc:nanosleep"])
    thread.call("socket", 4_000, ret=30, path=GREET + ["ask_owner"])
    thread.sleep("connect", random.randint(1_800_000, 2_200_000), args="30", path=GREET + ["ask_owner", "libc:connect"])
    thread.call("close", 3_000, args="30", path=GREET + ["ask_owner"])
    if random.random() < 0.05:
        for name in ["openat", "fstat", "lseek", "uname", "getpid"]:
            thread.call(name, 2_000, path=GREET + ["find_owner"])
        thread.run(300_000, GREET + ["find_owner"])
    thread.call("write", 8_000, ret=64, args=fd, path=GREET)
    for _ in range(3):
        thread.sleep("read", random.randint(200_000, 700_000), ret=64, args=fd, path=PATH + ["read_request", "libc:read"])
        thread.run(random.randint(80_000, 120_000), PATH + ["handle", "parse"])
        thread.call("write", 8_000, ret=64, args=fd, path=PATH + ["answer"])


if __name__ == "__main__":
    serve_by_connection(43, connection)
