#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# One run of the bench: start a case, ask scope-report about it, keep the answer.
#
# Usage: tests/bugs/run.sh CASE SEED DIR       CASE: a row of bugs.tsv; CASE/twin: its healthy twin,
#                                              under the same kind of load and the same trigger
# Environment: SOURCE (perf, or kmod where the module is inserted), SECONDS_EACH (length of the
#   capture, 12), HANG_WAIT (seconds between a hang and the question, 5), LEARN_SECONDS (of learning
#   signatures after the capture, 6; 0: none), SCOPE (the program)
# Leaves in DIR: report.txt, the first screen and the JSON of the same trace (trace.screen, trace.json), trace, facts (key
# and value by a tab), log, and where signatures were learned
# signatures.db, by-signatures.txt, the report that makes no use of stacks, and by-both.txt. What is
# complete there already is not run again; what was interrupted is.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

[ $# -eq 3 ] || die "usage: run.sh CASE[/twin] SEED DIR"
case=${1%/twin} seed=$2 dir=$3
scope=${SCOPE:-$bugs_dir/../../build/user/scope}
seconds=${SECONDS_EACH:-12}
[ ! -e "$dir/facts" ] || exit 0
mkdir -p "$dir"

bug_row "$case"
kind=$bug_kind expect=$bug_expect name=$case
if [ "$1" != "$case" ]; then
	name=$(bug_twin "$case") kind=none expect=-
fi

{
	started=$(DURATION=$((seconds + ${HANG_WAIT:-5} + ${LEARN_SECONDS:-6} + 60)) TRIGGER=$case \
		"$bugs_dir/start.sh" "$name" "$seed") || exit
	eval "$started"
	trap '"$bugs_dir/stop.sh" "$SERVER_PID" "$LOAD_PID"; rm -rf "$WORK_DIR"' EXIT
	if [ "$bug_kind" = hang ]; then sleep "${HANG_WAIT:-5}"; else sleep 2; fi
	begun=$(date +%s.%N)
	"$scope" report -v -p "$SERVER_PID" -d "$seconds" --source "${SOURCE:-perf}" \
		--save "$dir/trace" -o "$dir/report.txt"
	ended=$(date +%s.%N)
	bug_screen "$scope" "$dir"
	# What signatures alone say: learned of this very build, under the load it has.
	if [ "$kind" != none ] && [ "${LEARN_SECONDS:-6}" != 0 ]; then
		"$scope" learn -p "$SERVER_PID" -d "${LEARN_SECONDS:-6}" --source "${SOURCE:-perf}" \
			--db "$dir/signatures.db" &&
			"$scope" report -v -i "$dir/trace" --no-stacks --db "$dir/signatures.db" \
				-o "$dir/by-signatures.txt" &&
			"$scope" report -v -i "$dir/trace" --db "$dir/signatures.db" -o "$dir/by-both.txt" || true
	fi
} >"$dir/log" 2>&1
{
	printf 'case\t%s\nseed\t%s\ntwin\t%s\n' "$case" "$seed" "$([ "$1" = "$case" ] || echo yes)"
	printf 'server\t%s\n' "$name"
	printf 'kind\t%s\nexpect\t%s\nsource\t%s\n' "$kind" "$expect" "${SOURCE:-perf}"
	printf 'seconds\t%s\n' "$(awk "BEGIN { printf \"%.1f\", $ended - $begun }")"
	printf 'capture\t%s\nload\t%s\n' "$seconds" "$(cut -d' ' -f1 /proc/loadavg)"
} >"$dir/facts.new"
mv "$dir/facts.new" "$dir/facts"
