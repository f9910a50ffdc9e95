# SPDX-License-Identifier: GPL-2.0-only
# Start Debian's svnserve, a process for each connection, with rules of access to one of two repositories. Sourced by start.sh.

server_svnserve() {
	local rules=5 one
	[ "$name" != blind2-svnserve-authz ] || rules=200
	for one in near far; do
		svnadmin create "$work/$one"
		printf '%s\n' '[general]' 'anon-access = read' 'authz-db = authz' >"$work/$one/conf/svnserve.conf"
		awk -v rules="$([ "$one" = near ] && echo 5 || echo "$rules")" 'BEGIN { print "[/]\n* = r"
			for (i = 0; i < rules; i++) printf "[/trunk/part%d]\nuser%d = rw\n* = r\n", i, i }' >"$work/$one/conf/authz"
	done
	"$program" -d --foreground -r "$work" --listen-host 127.0.0.1 --listen-port "$port" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
