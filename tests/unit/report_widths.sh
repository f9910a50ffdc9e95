#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The first screen and `scope waits` fit the width of the terminal, except for commands to type. If the locale is not
# UTF-8, all text is ASCII, and the JSON does not change. No length of time is printed as zero.
set -euo pipefail
cd "$(dirname "$0")/../.."

scope=$(realpath "${SCOPE:-build/san/scope}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset COLUMNS
export LC_ALL=C.UTF-8
bad=0

wrong() { echo "not ok report_widths $*"; bad=1; }

# Commands are not cut, so their lines are left out.
widest() { grep -vE '^ {2}(Next| {4}) +scope' "$1" | wc -L; }

for name in three_bugs knot hang long_names slow_peer background preempted_holder healthy synth five_stages; do
	PYTHONDONTWRITEBYTECODE=1 python3 "tests/golden/$name.py" > "$work/text"
	"$scope" dump --reverse "$work/text" -o "$work/$name.trace" 2> /dev/null
	cd "$work"
	for columns in 60 80 120 200; do
		for command in report waits model explore; do
			COLUMNS=$columns "$scope" $command -i $name.trace > $command.$columns 2> /dev/null
			[ "$(widest $command.$columns)" -le $columns ] ||
				wrong "$command of $name has lines of $(widest $command.$columns) of $columns columns"
			# A first screen; `waits` has a list of locks as well.
			lines=15
			[ $command != waits ] || lines=20
			[ $columns -lt 80 ] || [ "$(wc -l < $command.$columns)" -le $lines ] ||
				wrong "$command of $name has $(wc -l < $command.$columns) lines at $columns columns"
		done
	done
	"$scope" report -i $name.trace > report.usual
	cmp -s report.usual report.80 || wrong "report of $name without a terminal is not 80 columns wide"
	COLUMNS=7 "$scope" report -i $name.trace | cmp -s - report.60 || wrong "$name: COLUMNS=7 is not 60 columns"
	COLUMNS=junk "$scope" report -i $name.trace | cmp -s - report.80 || wrong "$name: COLUMNS=junk is not 80 columns"
	for command in report waits model explore metrics; do
		LC_ALL=C "$scope" $command -i $name.trace -v > ascii 2>&1
		! LC_ALL=C grep -q '[^ -~]' ascii || wrong "$command of $name in the C locale is not ASCII"
		"$scope" $command -i $name.trace -v > utf8 2>&1
		[ "$(wc -L < ascii)" -eq "$(wc -L < utf8)" ] || wrong "$command of $name in ASCII has other columns"
		LC_ALL=C "$scope" $command -i $name.trace --format json > ascii.json
		"$scope" $command -i $name.trace --format json | cmp -s - ascii.json || wrong "JSON of $name differs by locale"
	done
	! grep -E '(^|[ (])0(\.0+)? ?(ns|µs|ms|s)\b' utf8 report.usual || wrong "$name: a time is printed as 0"
	cd "$OLDPWD"
done
# With room the same lines hold more.
[ "$(wc -L < "$work/report.200")" -gt 120 ] || wrong "200 columns are not used"
! LC_ALL=C "$scope" report -i "$work/no such…file" 2> "$work/said"
! LC_ALL=C grep -q '[^ -~]' "$work/said" || wrong "an error in the C locale is not ASCII"
[ $bad -ne 0 ] || echo "ok report_widths"
exit $bad
