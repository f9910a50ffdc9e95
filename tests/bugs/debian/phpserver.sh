# SPDX-License-Identifier: GPL-2.0-only
# Start the web server that is built into PHP, with sessions that are swept by visits or not. Sourced by start.sh.

server_phpserver() {
	local sweep=0
	[ "$name" != blind2-php-sessions ] || sweep=1
	mkdir "$work/sessions"
	(cd "$work/sessions" && seq -f 'sess_%032.0f' 1 60000 | xargs touch)
	"$program" -n -d session.save_path="$work/sessions" -d session.gc_probability="$sweep" -d session.gc_divisor=40 \
		-d session.gc_maxlifetime=86400 -d extension=session.so -S "127.0.0.1:$port" "$bugs_dir/debian/visits.php" \
		>/dev/null 2>&1 </dev/null &
	server_pid=$!
}
