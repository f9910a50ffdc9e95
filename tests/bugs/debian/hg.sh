# SPDX-License-Identifier: GPL-2.0-only
# Start Debian's Mercurial (Python) as a server of one repository, a thread for each connection. Sourced by start.sh.

# A search looks at all changes, of which there are many or few; a program on another host may have left the repository locked.
server_hg() {
	local many=20
	[ "$name" != blind5-hg-search ] || many=800
	export HGRCPATH=/dev/null
	"$program" init "$work/parts"
	"$program" -R "$work/parts" debugbuilddag "+$many" >"$work/made.log" 2>&1
	[ "$name" != blind5-hg-lock ] || ln -s elsewhere:4711 "$work/parts/.hg/store/lock"
	"$program" -R "$work/parts" serve --config web.allow-push="*" --config web.push_ssl=no \
		-a 127.0.0.1 -p "$port" -A "$work/access.log" -E "$work/error.log" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
