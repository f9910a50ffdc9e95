#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Count false alarms: many runs of healthy servers, under loads and on processors that differ.
#
# Usage: tests/bugs/healthy.sh [-a] [RUNS]      default: 100 runs
#   -a   run nothing: have the program report again on the traces that earlier runs left
# Environment: OUT (build/healthy), SLOT (a command before each run), and as run.sh takes them
#   SECONDS_EACH (6) and SCOPE
# Run number i is the healthy twin of the i-th case of bugs.tsv, round and round, with seed 10000 + i,
# beside none, one and two other programs by turns that take as much of a processor as they get. What
# is there already is not run again, so a count that was interrupted goes on. Exit 0 if all runs ended
# with a report, whatever it names, whose first screen has its form; the count goes to standard output.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

again=
[ "${1:-}" != -a ] || { again=1; shift; }
runs=${1:-100}
out=${OUT:-$(dirname "$servers_dir")/healthy}
scope=${SCOPE:-$bugs_dir/../../build/user/scope}
export LEARN_SECONDS=0 SECONDS_EACH=${SECONDS_EACH:-6} HANG_WAIT=2
SLOT=${SLOT:-}
cases=($(bug_cases))
busy=()
trap '[ ${#busy[@]} -eq 0 ] || kill "${busy[@]}" 2>/dev/null || true' EXIT

run_beside() {	# PROGRAMS CASE/twin SEED DIR
	local i ended=0
	busy=()
	for ((i = 0; i < $1; i++)); do
		while :; do :; done &
		busy+=($!)
	done
	$SLOT "$bugs_dir/run.sh" "$2" "$3" "$4" || ended=$?
	[ ${#busy[@]} -eq 0 ] || { kill "${busy[@]}"; wait "${busy[@]}" || true; } 2>/dev/null
	busy=()
	return $ended
}

[ -n "$again" ] || "$bugs_dir/build.sh" $(for case in "${cases[@]}"; do bug_twin "$case"; done | sort -u) >&2
mkdir -p "$out"
failed=0
for ((i = 1; i <= runs; i++)); do
	dir=$(printf '%s/%03d' "$out" "$i")
	if [ -n "$again" ]; then
		[ -e "$dir/facts" ] || continue
		"$scope" report -v -i "$dir/trace" -o "$dir/report.txt" >"$dir/log" 2>&1 &&
			bug_screen "$scope" "$dir" >>"$dir/log" 2>&1 && continue
	elif [ -e "$dir/facts" ] ||
	     run_beside $((i % 3)) "${cases[(i - 1) % ${#cases[@]}]}/twin" $((10000 + i)) "$dir"; then
		continue
	fi
	echo "healthy: run $i: no report: see $dir/log" >&2
	failed=1
done
PYTHONDONTWRITEBYTECODE=1 python3 "$bugs_dir/summary.py" --healthy "$out" || failed=1
exit $failed
