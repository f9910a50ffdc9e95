# SPDX-License-Identifier: GPL-2.0-only
# Start Ruby's WEBrick with a few pages, a thread for each connection. Sourced by start.sh.

server_webrick() {
	local bad=()
	[ "$name" != blind2-webrick-regex ] || bad=(bad)
	"$program" "$bugs_dir/debian/pages.rb" "$port" "${bad[@]}" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
