#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What a watch by perf events costs on this host, of a healthy server with a stated pause between the requests of its clients.
#
# Usage: tests/bench/watch.sh [PAUSE_US [SECONDS]]      (50, 60)
# Prints events a second, shares of a CPU of the watch and of its analyses, and its memory at two times.
set -euo pipefail
cd "$(dirname "$0")/../.."

scope=$PWD/build/user/scope
dir=$(mktemp -d)
watcher=
target=
finish() {
	local pid
	for pid in $watcher $target; do kill "$pid" 2> /dev/null || true; done
	rm -rf "$dir"
}
trap finish EXIT
gcc -O1 -pthread -o "$dir/work" tests/unit/watch_work.c

coproc WORK { exec "$dir/work" watched; }
target=$WORK_PID
read -r _ server <&"${WORK[0]}"
echo "busy ${1:-50}" >&"${WORK[1]}"
"$scope" watch -p "$server" --source perf -o "$dir/w.trace" --listen 0 2> "$dir/said" &
watcher=$!
sleep 15
port=$(sed -nE 's/.*listening on port ([0-9]+).*/\1/p' "$dir/said")

# Ticks of the watch, of its children that have ended, KiB, events.
look() {
	exec 3<> "/dev/tcp/127.0.0.1/$port"
	printf 'GET /metrics HTTP/1.0\r\n\r\n' >&3
	awk '{ print $14 + $15, $16 + $17 }' "/proc/$watcher/stat"
	awk '/^VmRSS/ { print $2 }' "/proc/$watcher/status"
	timeout 5 cat <&3 | awk '/^scope_watch_events / { print $2 }'
	exec 3>&-
}

before=$(look)
sleep "${2:-60}"
echo "$before" "$(look)" | tr '\n' ' ' | awk -v s="${2:-60}" -v hz="$(getconf CLK_TCK)" '{
	printf "%.0f events/s: watch %.1f %% of a CPU, analyses %.1f %%; %.1f MB, then %.1f MB\n",
		($8 - $4) / s, ($5 - $1) / hz / s * 100, ($6 - $2) / hz / s * 100, $3 / 1024, $7 / 1024 }'
