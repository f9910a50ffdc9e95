# SPDX-License-Identifier: GPL-2.0-only
# Start Debian's Prosody (Lua), one loop, whose users keep private data. Sourced by start.sh.

# All data of a user are read, and compiled, for each question about a part of them.
server_prosody() {
	local many=5
	[ "$name" != blind5-prosody-private ] || many=2000
	mkdir -p "$work/data/localhost/accounts" "$work/data/localhost/private"
	for ((i = 0; i < 12; i++)); do
		echo 'return { ["password"] = "secret"; };' >"$work/data/localhost/accounts/user$i.dat"
		awk -v many="$many" 'BEGIN { print "return {"; for (i = 0; i < many; i++)
			printf "\t[\"note:part:%d\"] = {\n\t\t[\"name\"] = \"note\";\n\t\t[\"attr\"] = { [\"xmlns\"] = \"part:%d\"; };\n\t\t\"words %d\";\n\t};\n", i, i, i
			print "};" }' >"$work/data/localhost/private/user$i.dat"
	done
	cat >"$work/prosody.cfg.lua" <<-LUA
	run_as_root = true
	data_path = "$work/data"
	pidfile = "$work/pid"
	modules_enabled = { "saslauth", "ping", "private" }
	modules_disabled = { "s2s", "offline", "c2s_limit" }
	authentication = "internal_plain"
	storage = "internal"
	c2s_require_encryption = false
	allow_unencrypted_plain_auth = true
	c2s_interfaces = { "127.0.0.1" }
	c2s_ports = { $port }
	log = { warn = "$work/prosody.log" }
	VirtualHost "localhost"
	LUA
	"$program" -F --config "$work/prosody.cfg.lua" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
