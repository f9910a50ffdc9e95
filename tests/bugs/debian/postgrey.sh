# SPDX-License-Identifier: GPL-2.0-only
# Start Debian's Postgrey (Perl), one process that Postfix asks for each letter. Sourced by start.sh.

# Who sends letters is compared with a list of hosts, one by one.
server_postgrey() {
	local many=20
	[ "$name" != blind5-postgrey-hosts ] || many=10000
	mkdir -m 777 "$work/db"
	chmod a+rx "$work"
	awk -v many="$many" 'BEGIN { print "mail.near.test"; for (i = 0; i < many; i++) printf "mx%d.host%d.example\n", i, i }' >"$work/hosts"
	echo postmaster@ >"$work/people"
	"$program" --inet="127.0.0.1:$port" --dbdir="$work/db" --user=nobody --group=nogroup --whitelist-clients="$work/hosts" \
		--whitelist-recipients="$work/people" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
