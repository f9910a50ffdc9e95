#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What others say on the same cases: where each puts the bug's function.
#
# Usage: tests/bugs/others.sh [CASE...]      default: every case of bugs.tsv that has a bug
# Environment: SEED (1), OUT (build/bugs-others), SLOT (a command before each run)
# One run of each case, three tools one after the other, 6 s each: perf record with stacks by DWARF
# and perf report (rank by own samples, and by samples at or below it), perf record of sched_switch
# (rank by sleeps at or below it), strace -c (names no functions). Ranks are among the functions of
# the program alone, which is more than these tools offer. Prints the table; what is there already
# is not run again.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

out=${OUT:-$(dirname "$servers_dir")/bugs-others}
seed=${SEED:-1}

one() {	# CASE DIR
	local dir=$2 pids
	mkdir -p "$dir"
	eval "$(DURATION=60 "$bugs_dir/start.sh" "$1" "$seed")"
	sleep 2
	pids=$(bug_family "$SERVER_PID")
	perf record -q -F 999 --call-graph dwarf -p "$pids" -o "$dir/run.data" -- sleep 6 || true
	perf record -q -e sched:sched_switch --call-graph dwarf -p "$pids" -o "$dir/sleep.data" \
		-- sleep 6 || true
	timeout -s INT 6 strace -f -c -p "$pids" -o "$dir/strace.txt" || true
	"$bugs_dir/stop.sh" "$SERVER_PID" "$LOAD_PID"
	rm -rf "$WORK_DIR"
	perf script --no-inline -F comm,tid,time,ip,sym,dso -i "$dir/run.data" >"$dir/run.txt" || true
	perf script --no-inline -F comm,tid,time,ip,sym,dso -i "$dir/sleep.data" >"$dir/sleep.txt" || true
	rm -f "$dir"/*.data
}

if [ "${1:-}" = --one ]; then
	one "$2" "$3" >"$3.log" 2>&1
	exit
fi
[ $# -gt 0 ] || set -- $(bug_cases)
"$bugs_dir/build.sh" "$@" >&2
command -v perf >/dev/null || die "perf is missing: apt-get install linux-perf"
mkdir -p "$out"
for case; do
	[ -e "$out/$case/sleep.txt" ] || ${SLOT:-} "$bugs_dir/others.sh" --one "$case" "$out/$case"
done
PYTHONDONTWRITEBYTECODE=1 python3 "$bugs_dir/others.py" "$out" "$bugs_dir/bugs.tsv" "$@"
