#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The main job on real input: boot a kernel, insert scope.ko, load a server that has a known bug,
# run scope-report -p on it, and check the answer.
#
# Usage: scripts/demo.sh [BUG [SEED [SECONDS]]]     BUG: a row of tests/bugs/bugs.tsv
# Environment: KERNEL (a row of scripts/kernel.sh, default 6.1), HOST=1 (on this host's own kernel),
#   SOURCE=perf (there as well, without the module),
#   OUT (directory for the results), HANG_WAIT (seconds before the report on a hang is made, default 60)
# Everything must be built: see `make demo`. Exit status 0: the first function named is the bug, or
# nothing is named for a healthy server; 1: the answer is wrong; 2: the bug is named, but not in the first place.
set -euo pipefail
cd "$(dirname "$0")/.."

bug=${1:-lock} seed=${2:-1} seconds=${3:-15}
kernel=${KERNEL:-6.1}
out=${OUT:-build/demo/$bug-$seed}
report=build/user/scope-report

rm -rf "$out"
mkdir -p "$out"
if [ "${SOURCE:-}" = perf ]; then
	VM_OUT=$out scripts/demo-guest.sh - "$report" "$bug" "$seed" "$seconds"
elif [ -n "${HOST:-}" ]; then
	VM_OUT=$out scripts/demo-guest.sh "build/kmod/$(uname -r)/scope.ko" "$report" "$bug" "$seed" \
		"$seconds"
else
	version=$(cat "build/kernels/$kernel/version")
	limit=$((seconds * 3 + 600))
	case $bug in hang*) limit=$((limit + ${HANG_WAIT:-60})) ;; esac
	tests/vm/run.sh -k "$kernel" -m 2048 -t "$limit" -o "$out" -- \
		env "HANG_WAIT=${HANG_WAIT:-60}" "KEEP_TRACE=${KEEP_TRACE:-}" scripts/demo-guest.sh \
		"build/kmod/$version/scope.ko" "$report" "$bug" "$seed" "$seconds"
fi

expect=$(cat "$out/expect")
kind=$(cat "$out/kind")
# The functions that are named, the first one first.
named=$(sed -nE -e 's/^  Where +(.*) in [^ ]+(, .*)?$/\1/p' \
	-e '/^  Also /{ s/^  Also +//; s/ \([0-9]+ %\)(, )?/\n/g; s/\n*$//p; }' "$out/report.txt")
rank=$(grep -nxE "$expect" <<<"$named" | head -n 1 | cut -d: -f1 || true)

if [ "$kind" = none ]; then
	# On a busy host it is true, and no alarm, that the time went to waiting for a CPU.
	verdict=$(grep -oE '^(NOTHING ABNORMAL|SLOWDOWN outside)' "$out/report.txt" | head -n 1 || true)
	if [ -z "$named" ] && [ -n "$verdict" ]; then
		echo "demo: PASS: no function is named in the healthy server: $verdict"
		exit 0
	fi
	echo "demo: FAIL: the healthy server was blamed for: $(tr '\n' ' ' <<<"$named")"
	exit 1
fi
if [ "$rank" = 1 ]; then
	echo "demo: PASS: $(head -n 1 <<<"$named") is the bug, and it is named first"
	exit 0
elif [ -n "$rank" ]; then
	echo "demo: FAIL: $expect is named, but as number $rank"
	exit 2
fi
echo "demo: FAIL: $expect is not named; named were: $(tr '\n' ' ' <<<"$named")"
exit 1
