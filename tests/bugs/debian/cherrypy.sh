# SPDX-License-Identifier: GPL-2.0-only
# Start a service on Debian's CherryPy (Python): threads, and sessions that one request at a time may use. Sourced by start.sh.

# A session is kept in a file, and who finds it locked tries again each 100 ms; or in memory, with a lock to wait for.
server_cherrypy() {
	local kept=Ram
	[ "$name" != blind5-cherrypy-session ] || kept=File
	mkdir "$work/sessions"
	cat >"$work/shop.py" <<-PY
	import hashlib
	import cherrypy
	import cherrypy.lib.sessions

	class Shop:
	    @cherrypy.expose
	    def page(self, number="0"):
	        return "page " + number

	    @cherrypy.expose
	    @cherrypy.tools.sessions(storage_class=cherrypy.lib.sessions.${kept}Session, storage_path="$work/sessions")
	    def part(self, number="0"):
	        seen = cherrypy.session.get("seen", 0)
	        cherrypy.session["seen"] = seen + 1
	        return "part %d %s" % (seen, hashlib.pbkdf2_hmac("sha256", number.encode(), b"salt", 6000).hex())

	cherrypy.config.update({"server.socket_host": "127.0.0.1", "server.socket_port": $port, "server.thread_pool": 30,
	                        "log.screen": False, "engine.autoreload.on": False})
	cherrypy.quickstart(Shop())
	PY
	"$program" "$work/shop.py" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
