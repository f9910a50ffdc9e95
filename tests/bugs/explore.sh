#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Explores servers of the bench, and compares with a report on the same server: scope explore names the function that the
# report names first, or one that calls it or that it calls, or prints why it cannot.
#
# Usage: tests/bugs/explore.sh CASE...      CASE: a row of bugs.tsv; first tests/bugs/build.sh CASE...
# Environment: SEED (1), SOURCE (perf), SECONDS_EACH (of a report, 8), OUT (build/bugs-explore)
# Prints a line for each case, and leaves what both said in OUT/CASE. Exit status: 0, 1 something else was named without
# a reason, 77 perf events cannot be had here.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

[ $# -gt 0 ] || die "usage: explore.sh CASE..."
scope=${SCOPE:-$bugs_dir/../../build/user/scope}
out=${OUT:-$bugs_dir/../../build/bugs-explore}
status=0

run_case() {	# CASE DIR
	eval "$(DURATION=400 "$bugs_dir/start.sh" "$1" "${SEED:-1}")"
	trap '"$bugs_dir/stop.sh" "$SERVER_PID" "$LOAD_PID"; rm -rf "$WORK_DIR"' EXIT
	sleep 2
	"$scope" report -p "$SERVER_PID" -d "${SECONDS_EACH:-8}" --source "${SOURCE:-perf}" --format json \
		-o "$2/report.json" || return 1
	"$scope" explore -p "$SERVER_PID" --source "${SOURCE:-perf}" --format json -o "$2/explore.json" || true
	[ -s "$2/explore.json" ] || return 1
	echo "$EXPECT" > "$2/expect"
}

for case; do
	rm -rf "${out:?}/$case"
	mkdir -p "$out/$case"
	if (run_case "$case" "$out/$case") > "$out/$case/log" 2>&1; then
		python3 "$bugs_dir/explore.py" "$case" "$out/$case" || status=1
	elif grep -q 'perf_event_open\|perf events\|tracefs' "$out/$case/log"; then
		tail -n 1 "$out/$case/log"
		exit 77
	else
		echo "$case: no answer: see $out/$case/log"
		status=1
	fi
done
exit $status
