# SPDX-License-Identifier: GPL-2.0-only
# Start Debian's webfsd, one loop, which lists directories. Sourced by start.sh.

# The lists of a few directories are kept, or that of one.
server_webfs() {
	local kept=128 at
	[ "$name" != blind7-webfs-list ] || kept=1
	for at in {0..7}; do
		mkdir -p "$work/www/parts$at"
		(cd "$work/www/parts$at" && seq -f 'part%05.0f.txt' 1200 | xargs touch)
	done
	seq 5000 >"$work/www/numbers.txt"
	echo page >"$work/www/page.html"
	chmod -R a+rX "$work"
	"$program" -F -4 -i 127.0.0.1 -p "$port" -a "$kept" -r "$work/www" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
