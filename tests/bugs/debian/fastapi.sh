# SPDX-License-Identifier: GPL-2.0-only
# Start a service on Debian's FastAPI (Python, Uvicorn), one loop of asynchronous tasks. Sourced by start.sh.

# A program is run by the loop, or waited for as a task; a list is checked and made into JSON thing by thing, or at once.
server_fastapi() {
	local run='await (await asyncio.create_subprocess_exec("true")).wait()' answer='Response(json.dumps(chosen), media_type="application/json")'
	[ "$name" != blind9-fastapi-program ] || run='subprocess.run(["sleep", "0.02"])'
	[ "$name" != blind9-fastapi-list ] || answer='chosen'
	cat >"$work/shop.py" <<-PY
	import asyncio
	import hashlib
	import json
	import subprocess

	import uvicorn
	from fastapi import FastAPI, Response

	shop = FastAPI()
	parts = [{"name": "part %d" % i, "price": i, "of": {"who": "ann", "when": i, "tags": ["a", "b", "c"]}} for i in range(250)]


	@shop.get("/picture/{what}")
	async def make_picture(what: str):
	    $run
	    return Response("picture " + what)


	@shop.get("/list/{what}")
	async def list_parts(what: int):
	    chosen = [dict(part, asked=what) for part in parts]
	    return $answer


	@shop.get("/digest/{what}")
	async def digest(what: str):
	    return Response(hashlib.pbkdf2_hmac("sha256", what.encode(), b"salt", 2000).hex())


	@shop.get("/page/{what}")
	async def page(what: str):
	    return Response("page " + what)


	uvicorn.run(shop, host="127.0.0.1", port=$port, log_level="error")
	PY
	"$program" "$work/shop.py" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
