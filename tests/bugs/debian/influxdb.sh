# SPDX-License-Identifier: GPL-2.0-only
# Start Debian's InfluxDB (Go), with few series or many. Sourced by start.sh.

server_influxdb() {
	export SIZE=20
	[ "$name" != blind3-influxdb-values ] || SIZE=8000
	cat >"$work/influxdb.conf" <<-CONF
	reporting-disabled = true
	bind-address = "127.0.0.1:$((port + 1))"
	[meta]
	  dir = "$work/meta"
	[data]
	  dir = "$work/data"
	  wal-dir = "$work/wal"
	  query-log-enabled = false
	[monitor]
	  store-enabled = false
	[http]
	  bind-address = "127.0.0.1:$port"
	  log-enabled = false
	[logging]
	  level = "error"
	CONF
	"$program" run -config "$work/influxdb.conf" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
