#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Requests whose time is proportional to their size: 200 us more in 3 % of them are found although times vary by 600 us with the size, and
# sizes from 1 KB to 10 MB cause no alarm.
#
# Usage: tests/unit/by_size.sh [SEEDS]   (default 2; with 50 or more, 2 of 100 may be alarms)
. "$(dirname "$0")/begin.bash"

verdict() {	# LAW SEED late|healthy
	PYTHONDONTWRITEBYTECODE=1 python3 tests/unit/by_size_trace.py "$1" "$2" "$3" > "$work/text"
	rm -f "$work/trace"
	"$scope" dump --reverse "$work/text" -o "$work/trace"
	"$scope" report -i "$work/trace" --format json > "$work/report.json"
	python3 -c '
import json, sys
report = json.load(open(sys.argv[1]))
print(report["verdict"], *(one["function"]["name"] for one in report["findings"][:1] if one.get("function")))' "$work/report.json"
}

seeds=${1:-2} alarms=0
for seed in $(seq "$seeds"); do
	same "200 us more in 3 % of requests of any size, seed $seed" "slowdown check_links" "$(verdict uniform "$seed" late)"
	for law in uniform zipf; do
		found=$(verdict "$law" "$seed" healthy)
		[ "$found" = nothing ] || { echo "$law, seed $seed: $found"; alarms=$((alarms + 1)); }
	done
done
if [ $((alarms * 100)) -le $((2 * 2 * seeds)) ]; then
	echo "ok $alarms alarms in $((2 * seeds)) healthy runs"
else
	echo "not ok $alarms alarms in $((2 * seeds)) healthy runs"
	failed=1
fi
exit "$failed"
