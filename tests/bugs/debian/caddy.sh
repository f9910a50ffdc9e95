# SPDX-License-Identifier: GPL-2.0-only
# Start Debian's Caddy (Go), which serves files, one of which is a FIFO that nobody writes to, or is not. Sourced by start.sh.

server_caddy() {
	local number
	pick rate_of 300 500
	mkdir -p "$work/www/parts"
	for number in {1..9}; do printf '%*s' $((number * 300)) '' >"$work/www/page$number.html"; done
	(cd "$work/www/parts" && seq -f 'part-%05g' 1 30 | xargs touch)
	echo idle >"$work/www/status.txt"
	[ "$name" != blind6-caddy-fifo ] || { rm "$work/www/status.txt"; mkfifo "$work/www/status.txt"; }
	printf '%s\n' '{' 'admin off' '}' ":$port {" 'bind 127.0.0.1' "root * $work/www" 'file_server browse' '}' >"$work/Caddyfile"
	XDG_DATA_HOME=$work XDG_CONFIG_HOME=$work "$program" run --config "$work/Caddyfile" --adapter caddyfile >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
