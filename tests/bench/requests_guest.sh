#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The part of requests.sh that runs in the guest: lines "TRACER SERVER WHAT NUMBER".
#
# Usage: requests_guest.sh PROGRAMS SCOPE_KO EMPTY_KO LTTNG_MODULES|''     with SERVERS= and TRACERS=
set -euo pipefail
. "$(dirname "$0")/tracers.sh"

programs=$1 module=$2 empty=$3
dir=/dev/shm/servers
requests=${REQUESTS:-6000}
mkdir -p "$dir"
export HOME=$dir LTTNG_HOME=$dir

# Sets pid and port. Redis writes nothing to disk.
start_redis() {
	port=7001
	(exec -a redis-server /usr/bin/redis-check-rdb --port $port --save '' --appendonly no) >"$dir/log" 2>&1 &
	pid=$!
}

start_memcached() {
	port=7002
	memcached -u root -l 127.0.0.1 -p $port >"$dir/log" 2>&1 &
	pid=$!
}

ask() {	# TRACER
	"$programs/bench/requests" "$server" "$port" "$pid" "$requests" | sed "s/^/$1 $server /"
}

# How much a trace of all the requests holds.
print_bytes() {	# TRACER FILE
	du -sb "$2" | awk -v of="$1 $server" -v n="$requests" '{ printf "%s bytes %.1f\n", of, $1 / n }'
	rm -rf "$2"
}

# Asks without a pause: the guest passes over time in which nobody wants the processor, to the end of any
# wait for time.
until_true() {	# COMMAND...
	local try
	for ((try = 0; try < 2000; try++)); do
		"$@" && return
		kill -0 $tracer 2>/dev/null || break
	done
	echo "requests_guest.sh: no answer to $*:" >&2
	cat "$dir/said" >&2
	exit 1
}

in_background() {	# COMMAND...
	"$@" >"$dir/said" 2>&1 &
	tracer=$!
}

end_background() {
	kill -INT $tracer
	# perf ends as one that was interrupted.
	wait $tracer || [ $? = 130 ] || { echo "requests_guest.sh: a tracer failed:" >&2; cat "$dir/said" >&2; }
}

scope_runs() { "$programs/scope" status 2>/dev/null | grep ' running' >"$dir/grep"; }

# Of the events it switches on the last one.
tracecmd_runs() { grep 1 /sys/kernel/tracing/events/sched/sched_waking/enable >"$dir/grep"; }

run_none() { ask none; }

run_empty() {
	insmod "$empty"
	ask empty
	rmmod empty
}

run_scope() {
	insmod "$module"
	in_background "$programs/scope" record -p "$pid" -d 600 -o "$dir/trace"
	until_true scope_runs
	ask scope
	end_background
	print_bytes scope "$dir/trace"
	rmmod scope
}

# All that scope metrics has.
run_metrics() {
	insmod "$module"
	in_background "$programs/scope" record ${METRICS:---memory --interrupts --block} -p "$pid" -d 600 -o "$dir/trace"
	until_true scope_runs
	ask metrics
	end_background
	print_bytes metrics "$dir/trace"
	rmmod scope
}

run_report() {
	insmod "$module"
	in_background "$programs/scope-report" -p "$pid" -d 600 -o "$dir/report"
	until_true scope_runs
	ask report
	end_background
	rmmod scope
}

# shellcheck disable=SC2086 # a list of words
run_perf() {
	local answer
	mkfifo "$dir/control" "$dir/answer"
	in_background perf record -q -m 4096 $events -p "$pid" -D -1 --control "fifo:$dir/control,$dir/answer" \
		-o "$dir/perf.data"
	echo enable >"$dir/control"
	read -r answer <"$dir/answer"
	ask perf
	end_background
	print_bytes perf "$dir/perf.data"
	rm "$dir/control" "$dir/answer"
}

# Of every process: asked to follow a server with threads by -P it missed most of what they did. Its file holds
# names of the whole kernel: no bytes for each.
# shellcheck disable=SC2086
run_tracecmd() {
	cd "$dir"
	in_background trace-cmd record -q --compression none -b 16384 $events -o trace.dat
	until_true tracecmd_runs
	ask tracecmd
	end_background
	cd /
	rm "$dir/trace.dat"
}

run_lttng() {
	start_lttng "$dir/lttng" "$pid" >"$dir/said" 2>&1 || { cat "$dir/said" >&2; exit 1; }
	ask lttng
	end_lttng >"$dir/said" 2>&1 || { cat "$dir/said" >&2; exit 1; }
	print_bytes lttng "$dir/lttng"
}

prepare_tracers "$4"
[ -z "$4" ] || start_lttng_daemon
for server in $SERVERS; do
	"start_$server"
	until (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do :; done
	for run in none $TRACERS; do "run_$run"; done
	kill "$pid"
	wait "$pid" || true
done
