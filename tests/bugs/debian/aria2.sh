# SPDX-License-Identifier: GPL-2.0-only
# Start Debian's aria2, with downloads that wait, asked by JSON-RPC. Its only loop writes them down as its session each
# five seconds. Sourced by start.sh.

server_aria2() {
	local many=50
	[ "$name" != blind4-aria2-session ] || many=60000
	awk -v many="$many" 'BEGIN { for (i = 0; i < many; i++) printf "http://127.0.0.1:9/part%d\n  out=part%d\n", i, i }' >"$work/parts"
	"$program" --no-conf --enable-rpc --rpc-listen-port="$port" --pause=true --input-file="$work/parts" --dir="$work" \
		--save-session="$work/session" --save-session-interval=5 --disable-ipv6 --quiet >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
