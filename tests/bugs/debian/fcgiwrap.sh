# SPDX-License-Identifier: GPL-2.0-only
# Start Debian's fcgiwrap, three processes, each of which runs a program for a request. Sourced by start.sh.

# A program asks another one and waits, or it does not.
server_fcgiwrap() {
	local asks=: at
	[ "$name" != blind7-fcgiwrap-program ] || asks="sleep 0.04"
	rate_of=60
	mkdir "$work/cgi"
	printf '%s\n' '#!/bin/sh' "$asks" 'echo "Content-Type: text/plain"' echo 'echo far' >"$work/cgi/far"
	printf '%s\n' '#!/bin/sh' 'echo "Content-Type: text/plain"' echo 'echo near' >"$work/cgi/near"
	printf '%s\n' '#!/bin/sh' 'echo "Content-Type: text/plain"' echo 'seq 5000' >"$work/cgi/mid"
	chmod +x "$work/cgi"/*
	"$program" -c 3 -s "tcp:127.0.0.1:$port" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
	wait_for 10 three_children
	for at in $(cat "/proc/$server_pid/task/$server_pid/children"); do
		end_with_server "$at"
	done
}

three_children() {
	[ "$(wc -w <"/proc/$server_pid/task/$server_pid/children")" -eq 3 ]
}
