# SPDX-License-Identifier: GPL-2.0-only
# Start Debian's clamd with signatures of our own, which are read again each eight seconds. Sourced by start.sh.

# The healthy one reads them beside its scans, in a thread.
server_clamd() {
	local beside=yes
	[ "$name" != blind3-clamd-reload ] || beside=no
	mkdir "$work/db"
	awk 'BEGIN { for (i = 0; i < 600000; i++) printf "%032x:%d:Test.Number-%d\n", i * 2654435761, 1000 + i % 5000, i }' >"$work/db/a.hdb"
	cat >"$work/clamd.conf" <<-CONF
	Foreground yes
	LogTime yes
	LogFile $work/clamd.log
	DatabaseDirectory $work/db
	TCPSocket $port
	TCPAddr 127.0.0.1
	User $(id -un)
	MaxThreads 6
	SelfCheck 0
	IdleTimeout 1
	ConcurrentDatabaseReload $beside
	CONF
	"$program" -c "$work/clamd.conf" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
