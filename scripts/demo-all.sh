#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Count how often the demo names the bug first: every bug with several seeds and loads.
#
# Usage: scripts/demo-all.sh [BUG...]     default: cpu lock hang none, then their moved variants
# Environment: ROUNDS (10), SECONDS_EACH (12), KERNEL. Results stay in build/demo/.
# Prints one line a bug: first place, first five, rounds. Exit 0 if each bug was first in 8 of 10
# rounds and among the first five in all, and nothing was named in 9 of 10 healthy ones.
set -uo pipefail
cd "$(dirname "$0")/.."

rounds=${ROUNDS:-10} seconds=${SECONDS_EACH:-12}
[ $# -gt 0 ] || set -- cpu lock hang none none-lighttpd cpu-moved lock-moved hang-moved
bad=0

for bug in "$@"; do
	first=0 five=0
	for seed in $(seq 1 "$rounds"); do
		status=0
		scripts/demo.sh "$bug" "$seed" "$seconds" > "build/demo/$bug-$seed.log" 2>&1 || status=$?
		tail -n 1 "build/demo/$bug-$seed.log" | sed "s/^/$bug seed $seed: /"
		case $status in
		0) first=$((first + 1)) five=$((five + 1)) ;;
		2) [ "$(sed -n 's/.*as number //p' "build/demo/$bug-$seed.log")" -le 5 ] && five=$((five + 1)) ;;
		esac
	done
	echo "demo-all: $bug: right $first of $rounds, among the first five $five of $rounds"
	case $bug in
	none*) [ $((first * 10)) -ge $((rounds * 9)) ] || bad=1 ;;
	*) [ $((first * 10)) -ge $((rounds * 8)) ] && [ "$five" -eq "$rounds" ] || bad=1 ;;
	esac
done
[ "$bad" -eq 0 ] && echo "demo-all: PASS" || echo "demo-all: FAIL"
exit "$bad"
