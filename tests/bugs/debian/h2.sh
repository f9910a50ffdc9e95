# SPDX-License-Identifier: GPL-2.0-only
# Start Debian's H2 (Java), a thread for each client, who speaks the protocol of PostgreSQL. Sourced by start.sh.

# A copy of the database is made by who has it for himself, or beside the others.
server_h2() {
	export SIZE=0
	[ "$name" != blind7-h2-exclusive ] || SIZE=1
	pick rate_of 300 500
	"$program" -Xmx256m -cp /usr/share/java/h2.jar org.h2.tools.Server -pg -pgPort "$port" -baseDir "$work" -ifNotExists >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
