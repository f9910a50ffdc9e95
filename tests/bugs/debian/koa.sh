# SPDX-License-Identifier: GPL-2.0-only
# Start a service on Koa (Node) of the npm registry, one loop, which writes down the names of compiled code. Sourced by start.sh.

# What a proxy says is believed, or not; what is noted is synced by the loop, or beside it; what was bought is counted by the loop once the answer is
# sent, all of it or the last of it.
server_koa() {
	local proxy=false keep='fs.fdatasync(journal, () => {});' since=-20
	[ "$name" != blind8-koa-forwarded ] || proxy=true
	[ "$name" != blind8-koa-journal ] || keep='for (let i = 0; i < 16; i++) { fs.writeSync(journal, words); fs.fdatasyncSync(journal); }'
	[ "$name" != blind8-koa-audit ] || since=0
	npm_module koa 2.15.3
	cat >"$work/shop.js" <<-JS
	const Koa = require("koa"), fs = require("fs"), crypto = require("crypto");
	const journal = fs.openSync("$work/journal", "a"), bought = [];
	for (let i = 0; i < 14000; i++)
		bought.push({ who: "ann" + i, what: "part " + i, when: i });

	function keepNote(words) {
		fs.writeSync(journal, words);
		$keep
	}

	function writeAudit() {
		const words = JSON.stringify(bought.slice($since));
		return crypto.createHash("sha256").update(words).digest("hex") + JSON.parse(words).map((one) => one.what.toUpperCase()).sort().length;
	}

	function buy(what) {
		bought.shift();
		bought.push({ who: "bob", what, when: 1 });
		setTimeout(writeAudit, 1);
		return "bought " + what;
	}

	function digest(text) {
		return crypto.pbkdf2Sync(text, "salt", 2000, 32, "sha256").toString("hex");
	}

	function answer(context) {
		const [, kind, rest] = context.path.split("/");
		if (kind === "note")
			keepNote(rest);
		if (kind === "buy")
			return buy(rest);
		if (kind === "secure")
			return context.secure ? "yes" : "no";
		return kind === "digest" ? digest(rest) : "page " + rest;
	}

	const app = new Koa();
	app.proxy = $proxy;
	app.use((context) => { context.body = answer(context); });
	app.listen($port, "127.0.0.1");
	JS
	NODE_ENV=production NODE_PATH=$npm_modules "$program" --perf-basic-prof --interpreted-frames-native-stack --no-logfile-per-isolate \
		--logfile="$work/v8.log" "$work/shop.js" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
