#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Measure the cost of a watch of a healthy server with a given pause between the requests of its clients: by perf events
# on this host, or by the module (or perf events) in a guest in which a CPU's nanosecond is an instruction.
#
# Usage: tests/bench/watch.sh [PAUSE_US [SECONDS]]      (50, 60)
# Environment: IN_GUEST (a source: run so in a guest, by kmod or perf; default: this host by perf events), KERNEL (6.1; of the guest),
# MEMORY (96M; of the flight recorder)
# Prints events a second, shares of a CPU of the watch and of its analyses, what both are for an event, and its memory at two times.
# In a guest the shares are of a CPU of 1,000 million instructions a second.
set -euo pipefail
cd "$(dirname "$0")/../.."

if [ -n "${IN_GUEST:-}" ]; then
	dir=$(mktemp -d "$PWD/build/watch.XXXXXX")
	trap 'rm -rf "$dir"' EXIT
	kernel=${KERNEL:-6.1}
	module=$(scripts/kmod.sh "build/kernels/$kernel/headers" 2> /dev/null | tail -1)
	gcc -O1 -pthread -o "$dir/work" tests/unit/watch_work.c
	tests/vm/run.sh -k "$kernel" -i -t 1500 -- env WORK_IN="$dir" SOURCE="$IN_GUEST" MODULE="$module" MEMORY="${MEMORY:-96M}" \
		tests/bench/watch.sh "$@"
	exit
fi
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
work=${WORK_IN:-$dir}/work
[ -n "${WORK_IN:-}" ] || gcc -O1 -pthread -o "$work" tests/unit/watch_work.c
[ "${SOURCE:-perf}" = perf ] || insmod "$MODULE"

coproc WORK { exec "$work" watched; }
target=$WORK_PID
read -r _ server <&"${WORK[0]}"
echo "busy ${1:-50}" >&"${WORK[1]}"
"$scope" watch -p "$server" --source "${SOURCE:-perf}" --flight-memory "${MEMORY:-96M}" -o "$dir/w.trace" --listen 0 2> "$dir/said" &
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
	n = $8 - $4
	own = ($5 - $1) / hz
	children = ($6 - $2) / hz
	printf "%.0f events/s: watch %.1f %% of a CPU, analyses %.1f %%; %.0f and %.0f ns an event; %.1f MB, then %.1f MB\n",
		n / s, own / s * 100, children / s * 100, own / n * 1e9, children / n * 1e9, $3 / 1024, $7 / 1024 }'
