# SPDX-License-Identifier: GPL-2.0-only
# Start Debian's Mosquitto, one loop, which keeps the last message of each topic. Sourced by start.sh.

server_mosquitto() {
	export SIZE=20
	[ "$name" != blind6-mosquitto-retained ] || SIZE=120000
	pick rate_of 300 500
	printf '%s\n' "listener $port 127.0.0.1" 'allow_anonymous true' 'persistence false' 'max_queued_messages 0' 'sys_interval 0' "set_tcp_nodelay true" >"$work/mosquitto.conf"
	"$program" -c "$work/mosquitto.conf" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
