# SPDX-License-Identifier: GPL-2.0-only
# Start Debian's VictoriaMetrics (Go), which has many series or few. Sourced by start.sh.

server_victoria() {
	export SIZE=300
	[ "$name" != blind7-victoria-names ] || SIZE=150000
	"$program" -httpListenAddr "127.0.0.1:$port" -storageDataPath "$work/data" -retentionPeriod 100y -search.maxUniqueTimeseries 1000000 >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
