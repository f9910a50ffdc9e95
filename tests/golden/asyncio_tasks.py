# SPDX-License-Identifier: GPL-2.0-only
"""A server in Python whose requests are tasks of asyncio; see tasks_asleep.py. The thread of the loop takes other requests until one can go on."""
from tasks_asleep import SERVE, serve

BASE = 1 << 60
ASYNCIO = "/usr/lib/python3.11/asyncio/"
FILE = {"Lock.acquire": ASYNCIO + "locks.py", "__aenter__": ASYNCIO + "locks.py", "Event.wait": ASYNCIO + "locks.py", "Queue.get": ASYNCIO + "queues.py",
        "Queue.join": ASYNCIO + "queues.py", "sleep": ASYNCIO + "tasks.py", "wait": ASYNCIO + "tasks.py", "getaddrinfo": ASYNCIO + "base_events.py",
        "read": ASYNCIO + "streams.py", "recv": "/usr/lib/python3/dist-packages/websockets/protocol.py"}
HANDLE = ("handle", "answer")


def stack_of(trace, place):
    """Addresses as in a trace: a caller's is after the call. What the loop's thread runs as well is where that is."""
    for name in place:
        if name not in trace.functions and name not in SERVE:
            trace.functions[name] = BASE + 16 * len(trace.functions)
            trace.head.append(f"sym 0 {trace.functions[name]:#x} 0x10 py::{name}:{FILE.get(name, '/srv/shop.py')} [jit] program")
    return ",".join(hex(trace.function(name, False) if name in SERVE else trace.functions[name] + (number > 0))
                    for number, name in enumerate(reversed(place)))


def serve_tasks(seed, wait_of, lasting=(), short=(), timed=False):
    serve(seed, wait_of, lasting=lasting, stack_of=stack_of, short=short, timed=timed)
