# SPDX-License-Identifier: GPL-2.0-only
# Start Debian's rclone (Go), which serves a directory by HTTP. Sourced by start.sh.

# What is in the directory is read again after a second, by who comes then; the others wait.
server_rclone() {
	local kept=5m
	[ "$name" != blind5-rclone-directory ] || kept=1s
	mkdir "$work/parts"
	(cd "$work/parts" && seq -f 'part-%06g' 1 20000 | xargs touch)
	"$program" serve http "$work/parts" --config "$work/rclone.conf" --addr "127.0.0.1:$port" --dir-cache-time "$kept" \
		>"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
