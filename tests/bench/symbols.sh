#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Measure how fast scope and perf script find names for the addresses of the same samples.
#
# Usage: tests/bench/symbols.sh [PROGRAM]      PROGRAM: tests/bench/symbols.c, built
# Prints lines "NAME VALUE UNIT". Exit status 77: perf is not there, or cannot sample here.
set -uo pipefail
cd "$(dirname "$0")/../.."

program=${1:-build/user/bench/symbols}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# A program with symbols and libraries at work: reports on a synthetic trace.
PYTHONDONTWRITEBYTECODE=1 python3 tests/golden/three_bugs.py > "$dir/text"
build/user/scope dump --reverse "$dir/text" -o "$dir/trace"
perf record -q -e cpu-clock:u -F 4999 -g -o "$dir/data" -- \
	bash -c "for i in {1..60}; do build/user/scope report -v -i '$dir/trace' -o '$dir/report'; done" \
	>/dev/null 2>&1 || { echo "skipped: perf cannot sample here"; exit 77; }

python3 tests/unit/perf_agree.py addresses "$dir/data" > "$dir/input"
"$program" < "$dir/input" || exit 1

# perf script does the same from the file to its lines, with names and without.
spent() {
	local begin=$EPOCHREALTIME
	perf script -i "$dir/data" "$@" > "$dir/out" 2>/dev/null
	awk -v a="$begin" -v b="$EPOCHREALTIME" 'BEGIN { print b - a }'
}
spent -F comm,pid,ip > /dev/null # the file is in the page cache from here on
without=$(spent -F comm,pid,ip)
with=$(spent -F comm,pid,ip,sym --no-inline)
frames=$(grep -c '^A' "$dir/input")
awk -v a="$without" -v b="$with" -v n="$frames" 'BEGIN {
	printf "symbols_per_s_perf_script %.0f addresses/s\n", n / b
	printf "symbols_perf_script_s %.2f s with names, %.2f without\n", b, a }'
