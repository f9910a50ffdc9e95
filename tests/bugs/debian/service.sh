# SPDX-License-Identifier: GPL-2.0-only
# Give start.sh the load of services that answer by HTTP: pages, and some requests of the case's own.
# Sourced; uses work, port, seed, duration and pick() of start.sh. The server's part sets page, and
# rare, the path that the case is about.

load_service() {
	local conns rate longs
	pick conns 8 20
	pick rate 300 500
	pick longs 4 8
	MIX_SEED=$seed MIX_RARE=$rare MIX_PAGE=$page MIX_SHARE=0.0$longs \
		MIX_DELAY_MS=$((conns * 1000 / rate)) nice -n 5 \
		wrk -t 1 -c "$conns" -d "${duration}s" --timeout 30s --latency \
		-s "$bugs_dir/debian/service.lua" "http://127.0.0.1:$port/" >"$work/load.log" 2>&1 </dev/null &
	load_pid=$!
}
