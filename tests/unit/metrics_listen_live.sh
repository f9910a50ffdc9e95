#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Metrics for a collector while a capture runs: they are valid OpenMetrics, Prometheus can scrape them, counters only grow, other paths return nothing, the port is reachable from
# this host only, and any request is handled.
#
# Exit status: 0 passed; 1 failed; 77 perf events cannot be used here, or there is no curl or libmicrohttpd.
. "$(dirname "$0")/live.bash"
command -v curl > /dev/null || { echo "skipped: no curl"; exit 77; }
python3 -c '
import os, time
r, w = os.pipe()
print("ready", flush=True)
while True:
    os.write(w, b"x" * 100); os.read(r, 100); sum(range(2000)); time.sleep(0.001)
' > "$dir/ready" &
target=$!
# What is open as the capture begins has its kind from /proc.
until grep -q ready "$dir/ready"; do sleep 0.1; done

check() {	# NAME COMMAND...
	local name=$1
	shift
	if "$@"; then
		echo "ok - $name"
	else
		echo "not ok - $name"
		tail -n 20 "$dir/said" "$dir/first" 2>/dev/null | sed 's/^/    /'
		bad=1
	fi
}

"$scope" metrics -p "$target" --source perf -d 600 --step 500ms --listen 0 > "$dir/out" 2> "$dir/said" &
server=$!
for _ in $(seq 300); do
	port=$(sed -n 's/.*listening on port \([0-9]*\),.*/\1/p' "$dir/said")
	[ -z "$port" ] && kill -0 "$server" 2>/dev/null || break
	sleep 0.1
done
grep -q 'without libmicrohttpd\|libmicrohttpd.so' "$dir/said" && { echo "skipped: $(cat "$dir/said")"; exit 77; }
url=http://127.0.0.1:$port
get() { curl -s -m 10 -o "$1" -w '%{http_code} %{content_type}' "$2" "${@:3}"; }
for _ in $(seq 100); do
	said=$(get "$dir/first" "$url/metrics")
	# The kinds of descriptors that were open before come with the files of the target, a moment later.
	[ "${said%% *}" != 200 ] || ! grep -q "^scope_pipe_writes_total.* [1-9]" "$dir/first" || break
	sleep 0.3
done
check "it is OpenMetrics" [ "$said" = "200 application/openmetrics-text; version=1.0.0; charset=utf-8" ]
check "the text is whole" [ "$(tail -n 1 "$dir/first")" = "# EOF" ]
printf 'GET /metrics HTTP/1.1\r\nHost' > /dev/tcp/127.0.0.1/$port
head -c 100000 /dev/urandom > "$dir/noise"
curl -s -m 5 telnet://127.0.0.1:"$port" < "$dir/noise" > /dev/null
check "other names are not found" [ "$(get "$dir/other" "$url/etc/passwd")" = "404 text/plain" ]
check "nothing can be posted" [ "$(get "$dir/other" "$url/metrics" -d x=1)" = "405 text/plain" ]
sleep 2
get "$dir/second" "$url/metrics" > /dev/null
sum() { awk -v name="$1" 'index($1, name "{") == 1 { sum += $NF } END { printf "%.9f", sum }' "$2"; }
holds() { awk "BEGIN { exit !($1) }"; }
for name in scope_pipe_writes_total scope_pipe_written_bytes_total scope_run_seconds_total; do
	check "$name grows" holds "$(sum $name "$dir/second") > $(sum $name "$dir/first") && $(sum $name "$dir/first") > 0"
done
check "a write has 100 bytes" holds "$(sum scope_pipe_written_bytes_total "$dir/second") == 100 * $(sum scope_pipe_writes_total "$dir/second")"
check "labels are the group alone" bash -c "! grep -v '^#' '$dir/second' | grep -vE '^scope_[a-z_]+_total(\{group=\"[^\"]*\"\})? [0-9.]+$'"
check "it listens on this host alone" bash -c "ss -ltnH 'sport = :$port' | awk '{ print \$4 }' | grep -qx '127.0.0.1:$port'"
if command -v promtool > /dev/null; then
	check "promtool reads it" bash -c "promtool check metrics < '$dir/second' 2>&1 | grep -v 'counter metrics should\|no help text' | (! grep -i 'error')"
fi
if command -v prometheus > /dev/null; then
	own_port=$((port < 60000 ? port + 1 : port - 1))
	printf 'scrape_configs: [{job_name: scope, scrape_interval: 1s, static_configs: [{targets: ["127.0.0.1:%s"]}]}]\n' \
		"$port" > "$dir/prometheus.yml"
	prometheus --config.file="$dir/prometheus.yml" --storage.tsdb.path="$dir/tsdb" \
		--web.listen-address="127.0.0.1:$own_port" > "$dir/prometheus.said" 2>&1 &
	prometheus=$!
	ask() { curl -s -m 10 -G "http://127.0.0.1:$own_port/api/v1/query" --data-urlencode "query=$1" 2> /dev/null; }
	value() { ask "$1" | python3 -c 'import json, sys; print(json.load(sys.stdin)["data"]["result"][0]["value"][1])' 2> /dev/null; }
	# A rate needs two scrapes.
	for _ in $(seq 60); do
		rate=$(value 'sum(rate(scope_pipe_writes_total[10s]))')
		[ -z "$rate" ] || break
		sleep 0.5
	done
	check "Prometheus scrapes it" [ "$(value up)" = 1 ]
	check "Prometheus has a rate of writes" holds "${rate:-0} > 1"
	check "Prometheus has each group once" holds "$(value 'max(count by (group) (scope_run_seconds_total))') == 1"
	check "100 bytes a write, as Prometheus has it" \
		holds "$(value 'sum(scope_pipe_written_bytes_total) / sum(scope_pipe_writes_total)') == 100"
	kill "$prometheus"
	wait "$prometheus"
else
	echo "# no scrape by Prometheus: it is not installed (scripts/setup.sh test)"
fi
"$scope" metrics -p "$target" --source perf -d 5 --listen "127.0.0.1:$port" > "$dir/other" 2>&1
check "a port that is taken is refused" grep -q "name another address or port" "$dir/other"
"$scope" metrics -p "$target" --source perf -d 5 --listen nowhere:99999 > "$dir/other" 2>&1
check "an address that is none is refused" grep -q "listen wants a port" "$dir/other"
kill -INT "$server"
wait "$server"
check "it ends well, with all metrics printed" [ "$? $(grep -c '^METRICS' "$dir/out")" = "0 1" ]
exit $bad
