#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What others say on the same cases: where each puts the bug's function.
#
# Usage: tests/bugs/others.sh [CASE...]      default: every case of bugs.tsv that has a bug
# Environment: SEED (1), OUT (build/bugs-others), SLOT (a command before each run), SCOPE (the program, which
#   reads what Coz measured)
# One run of each case, four tools one after the other, 6 s each: perf record with stacks by DWARF
# and perf report (rank by own samples, and by samples at or below it), perf record of sched_switch
# (rank by sleeps at or below it), perf trace -s and strace -c (which name no functions). Then, of servers
# of our own, 60 s of Coz, with a progress point at each answer: rank by what it says a function's best
# line would gain. The servers that are built by others have no progress point. Ranks are among the
# functions of the program alone, which is more than these tools offer. Prints the table; what is there
# already is not run again.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

out=${OUT:-$(dirname "$servers_dir")/bugs-others}
seed=${SEED:-1}
scope=${SCOPE:-$bugs_dir/../../build/user/scope}

one() {	# CASE DIR
	local dir=$2 pids
	mkdir -p "$dir"
	bug_row "$1"
	eval "$(DURATION=60 "$bugs_dir/start.sh" "$1" "$seed")"
	sleep 2
	pids=$(bug_family "$SERVER_PID")
	perf record -q -F 999 --call-graph dwarf -p "$pids" -o "$dir/run.data" -- sleep 6 || true
	perf record -q -e sched:sched_switch --call-graph dwarf -p "$pids" -o "$dir/sleep.data" \
		-- sleep 6 || true
	timeout -s INT 6 perf trace -s -p "$pids" -o "$dir/calls.txt" || true
	timeout -s INT 6 strace -f -c -p "$pids" -o "$dir/strace.txt" || true
	# What was compiled at run time has its names in a file that goes with the process.
	perf script --no-inline -F comm,tid,time,ip,sym,dso -i "$dir/run.data" >"$dir/run.txt" || true
	perf script --no-inline -F comm,tid,time,ip,sym,dso -i "$dir/sleep.data" >"$dir/sleep.txt" || true
	"$bugs_dir/stop.sh" "$SERVER_PID" "$LOAD_PID"
	rm -rf "$WORK_DIR" "$dir"/*.data
	! bug_own || with_coz "$@"
}

# Coz reads no newer line tables, and its launcher stays beside the server.
with_coz() {	# CASE DIR
	local dir=$2 program=$2/$bug_server
	cc -std=gnu11 -D_GNU_SOURCE -gdwarf-3 -O2 -DWITH_COZ "${own_flags[@]}" -o "$program" "${own_sources[@]}" \
		-pthread -ldl
	rm -f "$dir/profile.coz"
	eval "$(DURATION=90 PROGRAM="coz run -s $bugs_dir/own/% -o $dir/profile.coz --- $program" \
		"$bugs_dir/start.sh" "$1" "$seed")"
	sleep 60
	kill $(cat "/proc/$SERVER_PID/task"/*/children)
	"$bugs_dir/stop.sh" "$SERVER_PID" "$LOAD_PID"
	rm -rf "$WORK_DIR"
	nm --defined-only -l "$program" >"$dir/functions.txt"
	"$scope" delay read "$dir/profile.coz" --seed 1 --format json -o "$dir/coz.json" || rm -f "$dir/coz.json"
}

if [ "${1:-}" = --one ]; then
	one "$2" "$3" >"$3.log" 2>&1
	touch "$3/done"
	exit
fi
[ $# -gt 0 ] || set -- $(bug_cases)
"$bugs_dir/build.sh" "$@" >&2
for tool in perf strace coz; do
	command -v "$tool" >/dev/null || die "$tool is missing: run scripts/setup.sh bench"
done
mkdir -p "$out"
for case; do
	[ -e "$out/$case/done" ] || ${SLOT:-} "$bugs_dir/others.sh" --one "$case" "$out/$case"
done
PYTHONDONTWRITEBYTECODE=1 python3 "$bugs_dir/others.py" "$out" "$bugs_dir/bugs.tsv" "$@"
