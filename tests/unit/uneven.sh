#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# One thread of a pool is slower, gets more work or waits more: the report of its trace names the thread and the kind of difference,
# and names no thread of a pool in which all are alike. test_balance.c has more pools and seeds, without traces.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

scope=$(realpath "${SCOPE:-build/san/scope}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0

for threads in 8 200; do
	for kind in slower more-work waits-more alike; do
		for seed in 1 20; do
			PYTHONDONTWRITEBYTECODE=1 python3 tests/unit/uneven_trace.py "$threads" "$seed" "$kind" \
				> "$work/text" 2> "$work/odd" || exit 1
			rm -f "$work/trace"
			"$scope" dump --reverse "$work/text" -o "$work/trace" || exit 1
			got=$("$scope" report --format json -i "$work/trace" | python3 -c '
import json, sys
print(*(f"{one['\''thread'\'']['\''tid'\'']} {one['\''in'\'']}" for one in json.load(sys.stdin)["uneven"]), sep=", ")')
			expected="$(cat "$work/odd") $kind"
			[ "$kind" != alike ] || expected=
			if [ "$got" = "$expected" ]; then
				echo "ok $threads $kind $seed"
			else
				echo "not ok $threads $kind $seed - expected '$expected', got '$got'"
				bad=1
			fi
		done
	done
done
exit $bad
