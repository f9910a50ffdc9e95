# SPDX-License-Identifier: GPL-2.0-only
# Start Debian's BIND with a zone that is changed by its clients. Sourced by start.sh.

# Each change is synced to a journal: on the disk in the bad case, in memory for the healthy one.
server_named() {
	local dir=$work
	# shellcheck disable=SC2034
	udp=yes
	[ "$name" = blind-named-journal ] || dir=$(mktemp -d /dev/shm/scope-named.XXXXXX)
	awk 'BEGIN { print "$TTL 60\n@ SOA ns a 1 3600 600 86400 60\n@ NS ns\nns A 192.0.2.1"
		for (i = 0; i < 20; i++) printf "h%d A 192.0.2.2\n", i }' >"$dir/zone"
	cat >"$work/named.conf" <<-CONF
	options { directory "$dir"; listen-on port $port { 127.0.0.1; }; listen-on-v6 { none; }; recursion no;
		pid-file "$work/pid"; session-keyfile "$work/key"; lock-file none; max-records-per-type 0; dnssec-validation no; };
	controls { };
	zone "x.test" { type primary; file "zone"; allow-update { 127.0.0.1; }; };
	CONF
	"$program" -g -n 2 -c "$work/named.conf" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
	[ "$dir" = "$work" ] || {
		(while kill -0 "$server_pid" 2>/dev/null; do sleep 0.5; done; rm -rf "$dir") </dev/null >/dev/null 2>&1 &
	}
}
