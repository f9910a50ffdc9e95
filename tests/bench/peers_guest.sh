#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The part of peers.sh that runs in the guest: lines "TRACER LOOP WHAT NUMBER".
#
# Usage: peers_guest.sh CALLS SCOPE_KO LTTNG_MODULES
set -euo pipefail
. "$(dirname "$0")/tracers.sh"

calls=$1 module=$2
dir=/dev/shm/peers
mkdir -p "$dir"
export HOME=$dir LTTNG_HOME=$dir

# Turns that the loop makes: long loop, and 150 rounds of two lengths.
turns() { [ "$1" = getppid ] && echo 640000 || echo 42000; }	# LOOP

# What the loop says of itself, and how much the trace holds.
tell() {	# TRACER LOOP FILE
	grep -E '^(floor|own|all) ' "$dir/said" | sed "s/^/$1 $2 /"
	[ -z "$3" ] || echo "$1 $2 bytes $(du -sb "$3" | awk -v t="$(turns "$2")" '{ printf "%.2f", $1 / t }')"
	rm -rf "$3"
}

run_none() { "$calls" none "$1" >"$dir/said"; tell none "$1" ''; }

run_scope() {
	"$calls" plain "$1" >"$dir/said"
	tell scope "$1" ''
	sed -n "s/^bytes /scope $1 bytes /p" "$dir/said"
}

# shellcheck disable=SC2086 # a list of words
run_perf() {
	perf record -q -m 4096 $events -o "$dir/perf.data" -- "$calls" none "$1" >"$dir/said" 2>"$dir/error"
	tell perf "$1" "$dir/perf.data"
}

# shellcheck disable=SC2086
run_tracecmd() {
	(cd "$dir" && trace-cmd record -q --compression none -b 16384 $events -F -c -o "$dir/trace.dat" "$calls" none "$1" >"$dir/said" 2>"$dir/error")
	tell tracecmd "$1" "$dir/trace.dat"
}

run_lttng() {
	start_lttng "$dir/lttng"
	"$calls" none "$1" >"$dir/said"
	end_lttng
	tell lttng "$1" "$dir/lttng"
}

prepare_tracers "$3"
for loop in getppid pingpong; do run_none $loop; done
load_scope "$module" "$calls"
for loop in getppid pingpong; do run_scope $loop; done
rmmod scope
for loop in getppid pingpong; do run_perf $loop || cat "$dir/error" >&2; done
for loop in getppid pingpong; do run_tracecmd $loop || cat "$dir/error" >&2; done
start_lttng_daemon
for loop in getppid pingpong; do run_lttng $loop >"$dir/out" 2>&1 || true; grep '^lttng ' "$dir/out" || tail -n 5 "$dir/out" >&2; done
