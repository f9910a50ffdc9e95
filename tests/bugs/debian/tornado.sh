# SPDX-License-Identifier: GPL-2.0-only
# Start a service on Debian's Tornado (Python) that looks up the names that its clients ask for. Sourced by start.sh.

# That is done in the only loop, and the name server is slow, or is not there at all, which is known at once; or no
# file is left for a connection.
server_tornado() {
	SPARE=0
	[ "$name" != blind4-tornado-files ] || SPARE=20
	export SPARE
	name_server 25
	cat >"$work/gate.py" <<-PY
	import tornado.ioloop, tornado.netutil, tornado.web

	tornado.netutil.Resolver.configure("tornado.netutil.BlockingResolver")
	resolver = tornado.netutil.Resolver()

	class Known(tornado.web.RequestHandler):
	    async def get(self, host):
	        try:
	            await resolver.resolve(host, 80)
	            self.write("known")
	        except OSError:
	            self.write("not known")

	tornado.web.Application([("/known/(.*)", Known)]).listen($port, "127.0.0.1")
	tornado.ioloop.IOLoop.current().start()
	PY
	"${with_names[@]}" "$program" "$work/gate.py" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
	[ "$name" != blind4-tornado-names ] || start_names
}
