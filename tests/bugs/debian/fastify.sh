# SPDX-License-Identifier: GPL-2.0-only
# Start a service on Fastify (Node) of the npm registry, one loop, which writes down the names of compiled code. Sourced by start.sh.

# Settings are read and parsed for each request that needs them, or once; all that is in stock is put in order by the loop each three seconds, or little.
server_fastify() {
	local read='settings' stock=200
	[ "$name" != blind9-fastify-settings ] || read='JSON.parse(fs.readFileSync(home + "/settings.json", "utf8"))'
	[ "$name" != blind9-fastify-stock ] || stock=250000
	pick rate_of 300 400
	npm_module fastify 4.28.1
	cat >"$work/shop.js" <<-JS
	const fastify = require("fastify")({ logger: false }), fs = require("fs"), crypto = require("crypto");
	const home = "$work", settings = { parts: [] }, stock = [];
	for (let i = 0; i < 9000; i++)
		settings.parts.push({ name: "part " + i, price: i * 7919 % 1009, of: ["ann", "bob"] });
	fs.writeFileSync(home + "/settings.json", JSON.stringify(settings));
	for (let i = 0; i < $stock; i++)
		stock.push({ name: "part" + (i * 7919 % $stock), left: i });
	let ordered = [];

	function loadSettings() {
		return $read;
	}

	function priceOf(what) {
		const parts = loadSettings().parts;
		return "price " + parts[Number(what) % parts.length].price;
	}

	function orderStock() {
		ordered = stock.slice().sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
	}

	function digest(text) {
		return crypto.pbkdf2Sync(text, "salt", 2000, 32, "sha256").toString("hex");
	}

	fastify.get("/price/:what", (request, reply) => { reply.send(priceOf(request.params.what)); });
	fastify.get("/digest/:what", (request, reply) => { reply.send(digest(request.params.what)); });
	fastify.get("/page/:what", (request, reply) => { reply.send("page " + request.params.what); });
	setInterval(orderStock, 3000);
	fastify.listen({ port: $port, host: "127.0.0.1" });
	JS
	NODE_ENV=production NODE_PATH=$npm_modules "$program" --perf-basic-prof --interpreted-frames-native-stack --no-logfile-per-isolate \
		--logfile="$work/v8.log" "$work/shop.js" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
