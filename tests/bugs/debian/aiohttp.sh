# SPDX-License-Identifier: GPL-2.0-only
# Start a service on Debian's aiohttp (Python), one loop, which keeps visits in SQLite. Sourced by start.sh.

# Another program writes to the same file, and takes its time for that; or to a file of its own.
server_aiohttp() {
	local other=other
	[ "$name" != blind6-aiohttp-locked ] || other=visits
	cat >"$work/visits.py" <<-PY
	import hashlib
	import sqlite3
	from aiohttp import web

	kept = sqlite3.connect("$work/visits", isolation_level=None)
	kept.execute("PRAGMA synchronous = OFF")
	kept.execute("CREATE TABLE visits (number INTEGER)")


	def keep_visit(number):
	    kept.execute("INSERT INTO visits VALUES (?)", (number,))


	async def visit(request):
	    keep_visit(int(request.match_info["number"]))
	    return web.Response(text="kept")


	async def page(request):
	    return web.Response(text="page " + request.match_info["number"])


	async def digest(request):
	    return web.Response(text=hashlib.pbkdf2_hmac("sha256", request.match_info["number"].encode(), b"salt", 2000).hex())

	app = web.Application()
	app.add_routes([web.get("/visit/{number}", visit), web.get("/page/{number}", page), web.get("/digest/{number}", digest)])
	web.run_app(app, host="127.0.0.1", port=$port, access_log=None)
	PY
	ln -s "$other" "$work/shared"
	"$program" "$work/visits.py" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
