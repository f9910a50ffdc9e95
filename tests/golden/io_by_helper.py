# SPDX-License-Identifier: GPL-2.0-only
"""Requests read blocks by one helper, read_block, nearly all of them for list_items: of 20 one is for get_item. In 3 requests of
100 list_items reads 60 blocks, one at a time; each takes as long as ever.
Answer: list_items, whose loop it is. The rule of thumb on I/O lets 5 % for other callers be enough."""
from loop import serve_by_loop
from synth import Trace

HANDLE = ["main", "event_loop", "handle"]
trace = Trace(seconds=20, seed=41)
trace.fd(9, "file")


def read_blocks(loop, handler, count):
    for _ in range(count):
        loop.run(3_000, HANDLE + [handler])
        loop.sleep("pread64", trace.random.randint(300_000, 500_000), ret=4096, args="9",
                   path=HANDLE + [handler, "read_block", "libc:pread64"])


def handle(loop):
    loop.run(trace.random.randint(40_000, 60_000), HANDLE + ["parse"])
    if trace.random.random() < 0.03:
        read_blocks(loop, "list_items", 60)
    else:
        read_blocks(loop, "get_item" if trace.random.random() < 0.05 else "list_items", 2)


serve_by_loop(trace, handle)
