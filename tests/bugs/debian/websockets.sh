# SPDX-License-Identifier: GPL-2.0-only
# Start a service on Debian's websockets (Python), one loop of asynchronous tasks, that knows who is there. Sourced by start.sh.

# Who is there is asked of all, one by one, or of each by a task of its own some time before.
server_websockets() {
	local ask='return len(room)'
	[ "$name" != blind8-websockets-there ] || ask='count = 0
    for peer in list(room):
        count += await is_there(peer)
    return count'
	cat >"$work/room.py" <<-PY
	import asyncio
	import hashlib
	import websockets

	room = set()


	async def is_there(peer):
	    try:
	        await (await peer.ping())
	        return 1
	    except websockets.ConnectionClosed:
	        return 0


	async def who_is_there():
	    $ask


	def digest(text):
	    return hashlib.pbkdf2_hmac("sha256", text.encode(), b"salt", 2000).hex()


	async def serve(peer):
	    async for words in peer:
	        if words == "enter":
	            room.add(peer)
	            await peer.send("entered")
	        elif words == "who":
	            await peer.send("%d are there" % await who_is_there())
	        else:
	            await peer.send(digest(words) if words.startswith("digest") else "said " + words)


	async def main():
	    async with websockets.serve(serve, "127.0.0.1", $port, ping_interval=None, compression=None):
	        await asyncio.Future()


	asyncio.run(main())
	PY
	"$program" "$work/room.py" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
