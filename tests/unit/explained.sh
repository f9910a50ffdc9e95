#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What explains how long requests take, in traces with one planted feature and decoys: scope model names it, with the time that it
# costs, and the report says it in a sentence; where nothing does, it says nothing.
#
# Usage: tests/unit/explained.sh [SEEDS]   (default 2)
. "$(dirname "$0")/begin.bash"

# explained FEATURE SEED: "BY RATE BASE" in us (the rate of a pause: for each ms), and whether the share is above 0.8.
explained() {
	PYTHONDONTWRITEBYTECODE=1 python3 tests/unit/explained_trace.py "$1" "$2" > "$work/text"
	rm -f "$work/trace"
	"$scope" dump --reverse "$work/text" -o "$work/trace"
	"$scope" model -i "$work/trace" --format json > "$work/model.json"
	"$scope" report -v -i "$work/trace" > "$work/report" || [ $? -eq 3 ]
	python3 -c '
import json, sys
true = {"first": (2e6, 1), "at-work": (1.5e5, 1), "pause": (2e4, 1e6)}
for one in json.load(open(sys.argv[1]))["explained"]:
    rate, of = true.get(one["by"], (0, 1))
    print(one["by"], "right" if abs(one["rate_ns"] * of - rate) < 0.1 * rate and one["share"] > 0.75 else one)' "$work/model.json"
}
says() { tr '\n' ' ' < "$work/report" | tr -s ' ' | grep -oE "$1" || echo nothing; }

for seed in $(seq "${1:-2}"); do
	same "the first request of a connection, seed $seed" "first right" "$(explained first "$seed")"
	same "in words, seed $seed" yes "$(says 'Being the first of a connection explains [0-9]+ % of how long requests of worker take: (2\.0|1\.9|2\.1) ms more for the first, and 0\.[0-9]+ ms besides' > "$work/said"; grep -q Being "$work/said" && echo yes)"
	same "others at work, seed $seed" "at-work right" "$(explained at-work "$seed")"
	same "in words, seed $seed" yes "$(says 'Others at work at the same time explain' > "$work/said"; grep -q Others "$work/said" && echo yes)"
	same "a pause, seed $seed" "pause right" "$(explained pause "$seed")"
	same "in words, seed $seed" yes "$(says 'for each ms of pause' > "$work/said"; grep -q pause "$work/said" && echo yes)"
	same "nothing, seed $seed" "" "$(explained nothing "$seed")"
	same "no word, seed $seed" nothing "$(says 'explains? [0-9]+ % of how long')"
done
exit "$failed"
