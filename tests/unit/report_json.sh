#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The JSON report has the same data as the text, and docs/report-json.md describes each of its fields.
set -euo pipefail
cd "$(dirname "$0")/../.."

scope=${SCOPE:-build/san/scope}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for name in lock_by_clock all_idle healthy preempted starved cpu lock hang spin near two_bugs slow_disk became_slow \
	lost_early lost_meanwhile spin_accept freezes own_lock lock_owner recursion calls in_kernel calls_in_kernel \
	background caller_at_fault rare_peer slow_peer lost_hang; do
	PYTHONDONTWRITEBYTECODE=1 python3 "tests/golden/$name.py" > "$work/text"
	rm -f "$work/trace"
	"$scope" dump --reverse "$work/text" -o "$work/trace"
	"$scope" report -v -i "$work/trace" > "$work/$name.report"
	"$scope" report -i "$work/trace" --format json -o "$work/$name.json"
done
python3 tests/unit/report_json.py docs/report-json.md "$work"

# Names of processes are any bytes.
sed 's/comm=[^ ]*/comm=w\\xff\\xfe/' "$work/text" > "$work/odd"
rm -f "$work/trace"
"$scope" dump --reverse "$work/odd" -o "$work/trace"
"$scope" report -i "$work/trace" --format json | python3 -c 'import json, sys; json.load(sys.stdin)'

! "$scope" report -i "$work/trace" --format xml 2> "$work/said"
grep -q "wants text, json or html, not 'xml'" "$work/said"
! "$scope" report -p $$ --format html --live 2> "$work/said"
grep -q -- '--live goes with --format text or json' "$work/said"
! "$scope" report -p $$ --format json --live --causal 1 2> "$work/said"
grep -q -- '--live --format json goes without --causal' "$work/said"
! "$scope" report -i "$work/trace" --format json > /dev/full 2> "$work/said"
grep -q 'cannot be written' "$work/said"
