#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Measure what a real server loses while it is traced, natively by perf events: its throughput and latency under full
# load, alternately without a tracer and with each tracer.
#
# Usage: tests/bench/servers.sh [SERVER...]    default: lighttpd nginx redis memcached
# Environment: ROUNDS (5), SECONDS_EACH (3; of each window), SOURCE (perf, or kmod where the module is loaded)
# In the VM, with the module (build/kmod/VERSION/scope.ko), all built before:
#   tests/vm/run.sh -m 4096 -t 3600 -- sh -c 'insmod SCOPE.KO; SOURCE=kmod tests/bench/servers.sh'
# With VM_SHIFT=3 before and -i it takes 50 minutes and does not depend on what else the host does.
# In each round every tracer has one window, in another order than in the last, between windows without:
#   scope            scope record, as it is by default: stacks and samples included
#   scope_no_stacks  the same with --no-stacks --no-samples
#   perf             perf record of the same tracepoints, enters and exits of calls, switches and wakings
#   strace           strace -f -c, which only counts
#   bpftrace         counts calls by name in the kernel; left out where it does not start, which is said
# Prints the lines of servers.py, and what consume prints for Scope's first file of each server: bytes an
# event. A window is what the server answers in it, not what the tracer kept.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tests/bugs/lib.sh
build=${BUILD:-build}
rounds=${ROUNDS:-5}
seconds=${SECONDS_EACH:-3}
source=${SOURCE:-perf}
[ $# -gt 0 ] || set -- lighttpd nginx redis memcached
make -s user "$build/user/bench/consume" >&2
work=$(mktemp -d)
tracer=
cleanup() {
	[ -z "$tracer" ] || kill "$tracer" 2>/dev/null || true
	[ -z "${SERVER_PID:-}" ] || tests/bugs/stop.sh "$SERVER_PID" "$LOAD_PID" || true
	rm -rf "$work" "${WORK_DIR:-$work}"
}
trap cleanup EXIT

# begin TRACER: starts it, sets tracer; 1 if it ended at once.
begin() {
	local pids command log=$work/$1.log
	pids=$(bug_family "$SERVER_PID")
	case $1 in
	scope) command=("$build/user/scope" record --source "$source" -p "$SERVER_PID" -d 600 -o "$work/trace") ;;
	scope_no_stacks) command=("$build/user/scope" record --source "$source" -p "$SERVER_PID" -d 600
		--no-stacks --no-samples -o "$work/trace") ;;
	perf) command=(perf record -q -p "$pids" -o "$work/perf.data" -e raw_syscalls:sys_enter
		-e raw_syscalls:sys_exit -e sched:sched_switch -e sched:sched_waking) ;;
	strace) command=(strace -f -c -o "$work/strace" -p "$pids") ;;
	bpftrace) command=(bpftrace -e "tracepoint:raw_syscalls:sys_enter /pid == $SERVER_PID/ {
		@[args->id] = count(); }") ;;
	esac
	"${command[@]}" >"$log" 2>&1 </dev/null &
	tracer=$!
	sleep 2
	kill -0 "$tracer" 2>/dev/null
}

end() {	# SERVER ROUND TRACER
	kill "$tracer"
	wait "$tracer" || true
	tracer=
	[ "$2 $3" != "0 scope" ] || "$build/user/bench/consume" "$work/trace" 2>/dev/null |
		awk -v prefix="server_$1_" '/bytes_per_event/ { print prefix $0 }'
	rm -f "$work/trace" "$work/perf.data"
}

# One window: requests/s, and the 99th percentile of the latency in us, or "-".
load() {	# SERVER
	case $1 in
	redis)
		redis-benchmark -p "$PORT" -c 16 -n $((seconds * 20000)) -d 100 -r 3000 -t get --csv |
			awk -F '"' '/"GET"/ { print $4, 1000 * $14 }' ;;
	memcached)
		# The load is more than the server can do: the work done is printed, but not the time in the queue.
		"$build/servers/mcload" -p "$PORT" -c 16 -t "$seconds" -r 300000 -k 3000 -s 0.2 -S 1 |
			awk -v s="$seconds" '$1 == "requests" { print $2 / s, "-" }' ;;
	*)
		wrk -t 1 -c 16 -d "${seconds}s" --latency "http://127.0.0.1:$PORT/page1.html" | awk '
			$1 == "99%" { us = $2 * ($2 ~ /us$/ ? 1 : $2 ~ /ms$/ ? 1e3 : 1e6) }
			/^Requests\/sec/ { rate = $2 }
			END { print rate, us }' ;;
	esac
}

window() {	# SERVER ROUND TRACER
	local result
	result=$(load "$1")
	[ "$(wc -w <<<"$result")" -eq 2 ] || { echo "servers.sh: $1 under $3: no answer of the load" >&2; exit 1; }
	echo "$1 $2 $3 $result" >>"$work/windows"
}

scripts/setup.sh servers bench
for server; do
	name=none-$server
	[ "$server" != memcached ] || name=none
	tests/bugs/build.sh "$name" >&2
	eval "$(DURATION=36000 tests/bugs/start.sh "$name" 1)"
	kill -INT "$LOAD_PID"
	tracers=(scope scope_no_stacks perf strace bpftrace)
	for ((round = 0; round < rounds; round++)); do
		for ((i = 0; i < ${#tracers[@]}; i++)); do
			with=${tracers[(i + round) % ${#tracers[@]}]}
			[ $((i % 2)) -eq 1 ] || window "$server" "$round" none
			if begin "$with"; then
				window "$server" "$round" "$with"
				end "$server" "$round" "$with"
			else
				wait "$tracer" || true
				tracer=
				[ "$round" -gt 0 ] || echo "servers.sh: $with does not start: $(tail -n 1 "$work/$with.log")" >&2
				[ "$with" != scope ] || exit 1
			fi
		done
	done
	tests/bugs/stop.sh "$SERVER_PID" "$LOAD_PID" >&2
	rm -rf "$WORK_DIR"
	SERVER_PID=
done
PYTHONDONTWRITEBYTECODE=1 python3 tests/bench/servers.py <"$work/windows"
