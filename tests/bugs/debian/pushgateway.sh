# SPDX-License-Identifier: GPL-2.0-only
# Start Debian's Pushgateway, which checks what is pushed against all that it has, or does not. Sourced by start.sh.

server_pushgateway() {
	local check=(--push.disable-consistency-check)
	export SIZE=400
	[ "$name" != blind-pushgateway-check ] || check=()
	"$program" --web.listen-address="127.0.0.1:$port" "${check[@]}" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
