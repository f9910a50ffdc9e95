# SPDX-License-Identifier: GPL-2.0-only
"""A server whose requests are tasks of asyncio; asyncio_live.sh asks it. Kinds: u usual; l waits for a lock whose holder sleeps; d waits for a
thread; h waits forever."""
import asyncio
import os
import sys
import time


async def add_order(state):
    async with state["ledger"]:
        state["total"] += 1


async def write_ledger(state):
    async with state["ledger"]:
        await asyncio.sleep(0.03)


def write_disk():
    time.sleep(0.03)


async def keep_order():
    await asyncio.get_running_loop().run_in_executor(None, write_disk)


async def never_told():
    await asyncio.get_running_loop().create_future()


async def serve(state, reader, writer):
    while kind := await reader.read(1):
        if kind == b"l":
            state["writers"].append(asyncio.ensure_future(write_ledger(state)))
            await asyncio.sleep(0)
        elif kind == b"d":
            await keep_order()
        elif kind == b"h":
            await never_told()
        await add_order(state)
        writer.write(kind)
        await writer.drain()
    writer.close()


async def main():
    state = {"ledger": asyncio.Lock(), "total": 0, "writers": []}
    server = await asyncio.start_server(lambda reader, writer: serve(state, reader, writer), "127.0.0.1", 0)
    print("pid", os.getpid(), flush=True)
    sys.stdin.readline()
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


asyncio.run(main())
