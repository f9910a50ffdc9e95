# SPDX-License-Identifier: GPL-2.0-only
# Start Debian's beanstalkd, one loop, with no more open files than it has, and clients that want more. Sourced by start.sh.

server_beanstalkd() {
	SPARE=0
	[ "$name" != blind6-beanstalkd-files ] || SPARE=20
	export SPARE
	pick rate_of 300 500
	"$program" -l 127.0.0.1 -p "$port" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
