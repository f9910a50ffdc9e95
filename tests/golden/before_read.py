# SPDX-License-Identifier: GPL-2.0-only
"""A thread for each connection, which checks the client's address before it reads what was asked; of 1 address in 20
it looks at all rules.
Answer: check_address, by time. The request begins as its thread does, and not with the read."""
from conns import serve_by_connection

PATH = ["start_connection"]


def connection(thread, fd, random):
    thread.call("getpeername", 2_000, args=fd, path=PATH + ["check_address"])
    thread.run(random.randint(60_000, 90_000), PATH + ["check_address"])
    if random.random() < 0.05:
        thread.run(random.randint(3_000_000, 5_000_000), PATH + ["check_address"])
    thread.call("read", 3_000, ret=64, args=fd, path=PATH + ["read_request", "libc:read"])
    thread.run(random.randint(80_000, 120_000), PATH + ["handle", "parse"])
    thread.call("write", 8_000, ret=64, args=fd, path=PATH + ["answer"])


serve_by_connection(41, connection)
