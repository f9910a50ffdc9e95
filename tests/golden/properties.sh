#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Some changes of a trace must not change its report: other numbers of CPUs, another hour, a scale applied to all
# times, and another order of lines of one instant on different CPUs.
#
# Usage: tests/golden/properties.sh [NAME...]     traces of this directory, default: a few
set -euo pipefail
cd "$(dirname "$0")/../.."

scope=${SCOPE:-build/san/scope}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0

report() {	# TEXT OUTPUT
	"$scope" dump --reverse "$1" -o "$work/t.trace"
	"$scope" report -v -i "$work/t.trace" > "$2"
}

for name in ${*:-cpu lock two_bugs hang thread_pool slow_disk}; do
	PYTHONDONTWRITEBYTECODE=1 python3 "tests/golden/$name.py" > "$work/plain.text"
	report "$work/plain.text" "$work/plain.report"
	for change in permute shift; do
		python3 tests/golden/change.py "$change" < "$work/plain.text" > "$work/$change.text"
		cmp -s "$work/plain.text" "$work/$change.text" &&
			{ echo "not ok $name $change - nothing was changed"; bad=1; }
		report "$work/$change.text" "$work/$change.report"
		if diff -u "$work/plain.report" "$work/$change.report"; then
			echo "ok $name $change"
		else
			echo "not ok $name $change - the report differs"
			bad=1
		fi
	done
	# All times doubled: the same functions, in the same order, with the same shares.
	python3 tests/golden/change.py double < "$work/plain.text" > "$work/double.text"
	report "$work/double.text" "$work/double.report"
	for file in plain double; do
		awk '/^  #  function/ { on = 1; next } /^ *$/ { on = 0 } on && $1 ~ /^[0-9]+$/ { print $1, $2, $4 }' \
			"$work/$file.report" > "$work/$file.order"
	done
	if [ -s "$work/plain.order" ] && diff -u "$work/plain.order" "$work/double.order"; then
		echo "ok $name double"
	else
		echo "not ok $name double - the ranking differs, or there is none"
		bad=1
	fi
done
exit $bad
