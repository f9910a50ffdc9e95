# SPDX-License-Identifier: GPL-2.0-only
# Start the web server of Erlang's inets with a small shop, compiled here. Sourced by start.sh.

server_inets() {
	local way=sorted
	[ "$name" != blind2-inets-unique ] || way=searched
	erlc -o "$work" "$bugs_dir/debian/shop.erl"
	ROOTDIR=/usr/lib/erlang BINDIR=$(dirname "$program") EMU=beam PROGNAME=erl PATH=$(dirname "$program"):$PATH \
		"$program" -JPperf true -- -root /usr/lib/erlang -bindir "$(dirname "$program")" -progname erl -home "$work" \
		-- -noshell -noinput -pa "$work" -s shop start "$port" "$work" "$way" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
