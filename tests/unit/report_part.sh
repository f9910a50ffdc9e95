#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# scope report of a part of a trace: --from, --to, --thread and --kind, the part that they select, and the values that they refuse.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

scope=$(realpath "${SCOPE:-build/san/scope}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0

for name in became_slow hang lock four_bugs; do
	PYTHONDONTWRITEBYTECODE=1 python3 "tests/golden/$name.py" > "$work/$name.text"
	"$scope" dump --reverse "$work/$name.text" -o "$work/$name.trace" 2> /dev/null
done
# The same hang, begun at 18:55:16 UTC.
sed 's/^meta begin_ns.*/&\nmeta wall_clock_ns 1795373716000000000/' "$work/hang.text" > "$work/wall.text"
"$scope" dump --reverse "$work/wall.text" -o "$work/wall.trace" 2> /dev/null
cd "$work" || exit 1

# says NAME EXPECTED EXPRESSION [OPTION...]: the expression in Python, of the report as JSON in r
says() {
	local name=$1 expected=$2 expression=$3 got
	shift 3
	got=$("$scope" report --format json "$@" | python3 -c '
import json, sys
r = json.load(sys.stdin)
f = [one["function"]["name"] for one in r["findings"]]
window = [(r["trace"][end] - r["trace"]["part"]["whole_begin_ns"]) / 1e9 for end in ("begin_ns", "end_ns")] if r["trace"]["part"] else None
print(eval(sys.argv[1]))' "$expression")
	if [ "$got" = "$expected" ]; then
		echo "ok - $name"
	else
		echo "not ok - $name: '$got', not '$expected'"
		bad=1
	fi
}

# refuses NAME STATUS PATTERN [OPTION...]
refuses() {
	local name=$1 status=$2 pattern=$3 got=0 said
	shift 3
	said=$("$scope" report "$@" 2>&1 > /dev/null) || got=$?
	if [ "$got" -eq "$status" ] && grep -q -- "$pattern" <<< "$said"; then
		echo "ok - $name"
	else
		echo "not ok - $name: status $got, '$said'"
		bad=1
	fi
}

says "the whole trace is no part" None 'r["trace"]["part"]' -i became_slow.trace
says "before it began nothing is slow" "([], 'nothing', [1.0, 3.0])" 'f, r["verdict"], window' \
	-i became_slow.trace --from 1 --to 3
says "a part that is slow throughout is compared with the time before" "(['find_item'], [3.3, 4.0], True)" \
	'f, window, "Compared with the 3.3 s before" in r["answer"]' -i became_slow.trace --from 3300ms
says "where nothing came before, a part is all there is" "([], 'nothing')" 'f, r["verdict"]' \
	-i became_slow.trace --from 0 --to 2
says "times of threads are of the part" True \
	'abs(r["groups"][0]["wall_ns"] - 0.7e9) < 1e6' -i became_slow.trace --from 3.3
says "a thread hangs as of the part's end" "(['wait_for_helper'], 61000000000)" 'f, r["findings"][0]["age_ns"]' \
	-i hang.trace --to 1
says "a thread alone" "(['rebalance'], True)" 'f, r["basis"]["requests"] < 8000' -i lock.trace --thread worker1
says "threads by the begin of their names" True 'r["basis"]["requests"] > 20000' -i lock.trace --thread 'worker*'
says "the hang of another thread is left out" '[]' f -i hang.trace --thread 102
says "kinds" "(['flush_log', 'seek_back', 'back_off'], 1)" 'f, r["trace"]["part"]["findings_left_out"]' \
	-i four_bugs.trace --kind calls,wait
says "no finding of the kind" "([], 4, True, 'NOTHING OF THIS KIND')" \
	'f, r["trace"]["part"]["findings_left_out"], "--kind" in r["answer"], r["headline"]' -i four_bugs.trace --kind hang
says "the next commands choose the same part" True \
	'all("--from 3.3 --kind time" in n["command"] for n in r["next"])' -i became_slow.trace --from 3.3 --kind time
says "wall time" '[1.0, 2.5]' window -i wall.trace --from 18:55:17 --to 2026-11-22T18:55:18.5
says "wall time of the next day is after the end" '[0.0, 2.0]' window -i wall.trace --to 18:55:18

refuses "limits the other way round" 1 'must be before --to, and 2 is not before 1$' -i hang.trace --from 2 --to 1
refuses "an empty window" 1 'hang.trace is from its begin to 0: it has 0 to 3.000 s$' -i hang.trace --to 0
refuses "a window after the end" 1 'it has 0 to 3.000 s' -i hang.trace --from 3
refuses "limits by the wall clock" 1 '2026-11-22T18:55:16 to 2026-11-22T18:55:19 UTC' -i wall.trace --from 19:00
refuses "wall time that the trace does not know" 1 'give --from and --to as seconds' -i hang.trace --from 18:55
refuses "no time" 2 'wants a time' -i hang.trace --from soon
refuses "no kind" 2 'wants time, calls' -i hang.trace --kind slow
refuses "no thread of that name" 1 "no thread of the trace is named 'nobody': .scope metrics -i hang.trace --by thread. lists them" -i hang.trace --thread nobody
refuses "a window of what is not recorded yet" 2 '--from and --to go with -i' -p $$ --from 1
exit $bad
