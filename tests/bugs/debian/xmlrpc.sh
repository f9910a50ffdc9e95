# SPDX-License-Identifier: GPL-2.0-only
# Start the XML-RPC server of Python's library. Sourced by start.sh.

server_xmlrpc() {
	local digits=4300 one=()
	[ "$name" != blind-xmlrpc-digits ] || digits=0
	[ "$name" != blind-xmlrpc-idle ] || one=(one)
	"$program" "$bugs_dir/debian/rpc.py" "$port" "$digits" "${one[@]}" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
