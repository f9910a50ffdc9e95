# SPDX-License-Identifier: GPL-2.0-only
# Start Debian's Knot Resolver, one loop with rules in Lua, of which there are many or few. Sourced by start.sh.

server_kresd() {
	local many=20
	[ "$name" != blind7-kresd-patterns ] || many=6000
	udp=yes
	pick rate_of 300 500
	mkdir "$work/run"
	cat >"$work/kresd.conf" <<-LUA
	net.listen("127.0.0.1", $port)
	trust_anchors.remove(".")
	for _, one in ipairs({ "ta_update", "ta_signal_query", "detect_time_skew", "detect_time_jump", "priming" }) do
	  modules.unload(one)
	end
	cache.size = 10 * MB
	local known = policy.ANSWER({ [kres.type.A] = { rdata = kres.str2ip("10.0.0.1"), ttl = 60 } }, true)
	policy.add(policy.suffix(known, policy.todnames({ "near.test" })))
	for number = 1, $many do
	  policy.add(policy.pattern(policy.DROP, "spam" .. number .. "[a-z]*\3far\4test"))
	end
	policy.add(policy.all(policy.DENY))
	LUA
	"$program" -n -c "$work/kresd.conf" "$work/run" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
