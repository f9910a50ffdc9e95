#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Golden tests: synthetic trace text -> trace -> report, compared byte for byte.
#
# Usage: tests/golden/run.sh [-u] [NAME...]     -u: write the reports anew (then read the diff)
# Each NAME.py prints a trace whose answer its head comment tells; NAME.report is the report.
set -euo pipefail
cd "$(dirname "$0")/../.."

update=
[ "${1:-}" != -u ] || { update=1; shift; }
scope=${SCOPE:-build/san/scope}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0

names=("$@")
[ $# -gt 0 ] || for file in tests/golden/*.py; do
	[ "$(basename "$file")" = synth.py ] || names+=("$(basename "$file" .py)")
done
for name in "${names[@]}"; do
	PYTHONDONTWRITEBYTECODE=1 python3 "tests/golden/$name.py" > "$work/$name.text"
	"$scope" dump --reverse "$work/$name.text" -o "$work/$name.trace"
	"$scope" report -i "$work/$name.trace" > "$work/$name.report"
	"$scope" report -i "$work/$name.trace" > "$work/$name.again"
	if [ -n "$update" ]; then
		cp "$work/$name.report" "tests/golden/$name.report"
		echo "wrote $name"
	elif ! diff -u "tests/golden/$name.report" "$work/$name.report"; then
		echo "not ok $name - the report differs"
		bad=1
	elif ! cmp -s "$work/$name.report" "$work/$name.again"; then
		echo "not ok $name - a second run differs from the first"
		bad=1
	else
		echo "ok $name"
	fi
done
exit $bad
