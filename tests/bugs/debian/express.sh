# SPDX-License-Identifier: GPL-2.0-only
# Start a service of two routes on Debian's Express (Node), which writes down the names of compiled code. Sourced by start.sh.

# A route that is a pattern with two parts, of which the first ends at the first dash, or at any.
server_express() {
	local first=':from([^-/]+)'
	[ "$name" != blind4-express-route ] || first=:from
	cat >"$work/flights.js" <<-JS
	const app = require("express")();
	app.get("/flights/$first-:to", (request, response) => response.send("ok"));
	app.get("/page/:id", (request, response) => response.send("page " + request.params.id));
	app.listen($port, "127.0.0.1");
	JS
	NODE_ENV=production NODE_PATH=/usr/share/nodejs "$program" --perf-basic-prof --interpreted-frames-native-stack --no-logfile-per-isolate \
		--logfile="$work/v8.log" "$work/flights.js" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
