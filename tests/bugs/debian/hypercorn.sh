# SPDX-License-Identifier: GPL-2.0-only
# Start a service on Debian's Hypercorn (Python), one loop of asynchronous tasks, which asks a name server. Sourced by start.sh.

# A name is looked up by the loop, or beside it; prices are made fresh under a lock or before it is taken; a task that fails says that it is done, or
# does not.
server_hypercorn() {
	local look='await asyncio.get_running_loop().getaddrinfo(host, 80)' lock='found = await look_up(item)
        async with prices_lock:' done='finally:
            parts.task_done()'
	[ "$name" != blind8-hypercorn-host ] || look='socket.getaddrinfo(host, 80)'
	[ "$name" != blind8-hypercorn-prices ] || lock='async with prices_lock:
            found = await look_up(item)'
	[ "$name" != blind8-hypercorn-parts ] || done='else:
            parts.task_done()'
	case "$name" in
	blind8-hypercorn-host | blind8-hypercorn-prices) name_server 15 ;;
	*) name_server 1 ;;
	esac
	cat >"$work/shop.py" <<-PY
	import asyncio
	import hashlib
	import socket

	prices, prices_lock, parts = {}, asyncio.Lock(), None


	async def look_up(host):
	    try:
	        return await asyncio.get_running_loop().getaddrinfo(host, 80)
	    except OSError:
	        return []


	async def check_host(host):
	    try:
	        return b"known " + str(len($look)).encode()
	    except OSError:
	        return b"nobody knows " + host.encode()


	async def fresh_price(item):
	        $lock
	            prices[item[:2]] = len(found)
	            return b"price"


	async def known_price(item):
	    async with prices_lock:
	        return b"price %d" % prices.get(item, 7)


	async def count_parts():
	    while True:
	        part = await parts.get()
	        try:
	            prices[part] = int(part)
	        except ValueError:
	            prices.pop(part, None)
	            continue
	        $done


	async def all_parts(names):
	    global parts
	    parts = asyncio.Queue()
	    counter = asyncio.create_task(count_parts())
	    for part in names.split("-"):
	        parts.put_nowait(part)
	    await parts.join()
	    counter.cancel()
	    return b"counted"


	def digest(text):
	    return hashlib.pbkdf2_hmac("sha256", text.encode(), b"salt", 2000).hex().encode()


	async def answer(kind, rest):
	    if kind == "host":
	        return await check_host(rest)
	    if kind == "fresh":
	        return await fresh_price(rest)
	    if kind == "parts":
	        return await all_parts(rest)
	    return digest(rest) if kind == "digest" else await known_price(rest)


	async def app(scope, receive, send):
	    if scope["type"] != "http":
	        return
	    while (await receive()).get("more_body"):
	        pass
	    kind, _, rest = scope["path"][1:].partition("/")
	    body = await answer(kind, rest)
	    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", str(len(body)).encode())]})
	    await send({"type": "http.response.body", "body": body})
	PY
	(cd "$work" && exec "${with_names[@]}" "$program" -m hypercorn -w 1 -b "127.0.0.1:$port" shop:app) >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
	start_names
}
