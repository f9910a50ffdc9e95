# SPDX-License-Identifier: GPL-2.0-only
# Start a service on ws (Node) of the npm registry, one loop, which writes down the names of compiled code. Sourced by start.sh.

# The version divides what a client offers by a pattern that is slow, or not; who waits for a turn looks again at once, or some time later.
server_nodews() {
	local version=7.5.10 again='setTimeout(() => waitTurn(socket), 50)'
	[ "$name" != blind8-nodews-protocols ] || version=7.4.5
	[ "$name" != blind8-nodews-turn ] || again='setImmediate(() => waitTurn(socket))'
	npm_module ws "$version"
	cat >"$work/chat.js" <<-JS
	const WebSocket = require("ws"), crypto = require("crypto");
	const turns = new Set();

	function waitTurn(socket) {
		if (turns.has(socket))
			socket.send("your turn");
		else
			$again;
	}

	function digest(text) {
		return crypto.pbkdf2Sync(text, "salt", 2000, 32, "sha256").toString("hex");
	}

	function answer(socket, words) {
		if (words === "turn")
			return waitTurn(socket);
		return socket.send(words.startsWith("digest") ? digest(words) : "said " + words);
	}

	const server = new WebSocket.Server({ port: $port, host: "127.0.0.1", perMessageDeflate: false });
	server.on("connection", (socket) => socket.on("message", (words) => answer(socket, String(words))));
	JS
	NODE_ENV=production NODE_PATH=$npm_modules "$program" --perf-basic-prof --interpreted-frames-native-stack --no-logfile-per-isolate --max-http-header-size=65536 \
		--logfile="$work/v8.log" "$work/chat.js" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
