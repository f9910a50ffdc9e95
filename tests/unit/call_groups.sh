#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# scope model splits threads of one name that have several roles, joins threads of many names that have one role, and keeps threads
# that serve clients together, for traces with known roles. 5,000 threads fit on a screen.
#
# Usage: tests/unit/call_groups.sh [SEEDS]   (default 3)
. "$(dirname "$0")/begin.bash"

# stages KIND SEED: how many threads there are in each stage that works, largest first.
stages() {
	PYTHONDONTWRITEBYTECODE=1 python3 tests/unit/call_groups_trace.py "$1" "$2" > "$work/text"
	rm -f "$work/trace"
	"$scope" dump --reverse "$work/text" -o "$work/trace"
	"$scope" model -i "$work/trace" --format json > "$work/model.json"
	python3 -c '
import json, sys
print(*sorted((s["threads"] for s in json.load(open(sys.argv[1]))["stages"]), reverse=True))' "$work/model.json"
}
names() {
	python3 -c '
import json, sys
print(*sorted(s["name"] for s in json.load(open(sys.argv[1]))["stages"]))' "$work/model.json"
}

for seed in $(seq "${1:-3}"); do
	same "64 threads of one name in four roles, seed $seed" "28 18 12 6" "$(stages roles "$seed")"
	same "their names, seed $seed" "worker:flush worker:pack worker:parse worker:unpack" "$(names)"
	same "32 names in one role, seed $seed" "32" "$(stages names "$seed")"
	same "its name, seed $seed" "loop" "$(names)"
	same "connections, two of them with slow clients, seed $seed" "8" "$(stages pool "$seed")"
done
same "5,000 threads of 2,500 names in two roles" "2500 2500" "$(stages many 1)"
"$scope" model -i "$work/trace" > "$work/model.text"
same "5,000 threads in at most 20 lines" yes "$([ "$(wc -l < "$work/model.text")" -le 20 ] && echo yes)"
exit "$failed"
