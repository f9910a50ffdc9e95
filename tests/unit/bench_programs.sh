#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The programs that measure the analysis run, and their own checks succeed. The input is small, so their figures
# mean nothing here.
#
# Usage: tests/unit/bench_programs.sh
set -euo pipefail
cd "$(dirname "$0")/../.."

make -s bench-programs
bin=build/user/bench
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# Lines "name value unit", as many at least, each with a value.
figures() {	# LEAST PROGRAM ARGUMENT...
	local least=$1 name=$2
	shift
	if "$bin/$name" "${@:2}" >"$work/out" 2>"$work/err" &&
		awk -v least="$least" 'NF < 3 || $2 !~ /^[0-9.]+(e[+-][0-9]+)?$/ { exit 1 }
			END { if (NR < least) exit 1 }' "$work/out"; then
		echo "ok $*: $(wc -l <"$work/out") figures"
	else
		echo "not ok $*"
		cat "$work/out" "$work/err"
		failed=1
	fi
}

"$bin/server_trace" -n 200000 -s 1 -o "$work/trace" 2>/dev/null
figures 4 ring
figures 4 decode
figures 2 unwind
figures 18 signature 0
figures 4 units "$work/trace"
figures 2 units -d 100000
figures 2 consume "$work/trace"
figures 2 stream "$work/trace" small_
exit "$failed"
