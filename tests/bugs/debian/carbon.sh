# SPDX-License-Identifier: GPL-2.0-only
# Start Debian's carbon-cache (Python): values come faster than they are written, and wait in a cache. Sourced by start.sh.

# Which to write next is chosen with the cache locked: the one with most values of all, or any.
server_carbon() {
	local strategy=naive
	[ "$name" != blind4-carbon-max ] || strategy=max
	export SIZE=150000
	mkdir "$work"/{log,whisper}
	printf '%s\n' '[all]' 'pattern = .*' 'retentions = 10s:10m' >"$work/storage-schemas.conf"
	cat >"$work/carbon.conf" <<-CONF
	[cache]
	STORAGE_DIR = $work
	LOCAL_DATA_DIR = $work/whisper
	CONF_DIR = $work
	LOG_DIR = $work/log
	PID_DIR = $work
	MAX_CACHE_SIZE = inf
	MAX_UPDATES_PER_SECOND = 10
	MAX_CREATES_PER_MINUTE = inf
	LINE_RECEIVER_INTERFACE = 127.0.0.1
	LINE_RECEIVER_PORT = $((port + 1))
	PICKLE_RECEIVER_PORT = 0
	CACHE_QUERY_INTERFACE = 127.0.0.1
	CACHE_QUERY_PORT = $port
	CACHE_WRITE_STRATEGY = $strategy
	LOG_CACHE_HITS = False
	LOG_UPDATES = False
	LOG_CREATES = False
	ENABLE_TAGS = False
	LOG_LISTENER_CONNECTIONS = False
	CONF
	GRAPHITE_ROOT=$work "$program" /usr/bin/carbon-cache --config="$work/carbon.conf" --nodaemon start >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
