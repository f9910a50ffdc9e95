#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# scope diff of golden traces and their reports: new, gone, worse and unchanged functions, and the exit status.
. "$(dirname "$0")/begin.bash"
set +e
bad=0

for name in lock two_bugs hang healthy every_request one_stage_grew all_stages_grew taken; do
	PYTHONDONTWRITEBYTECODE=1 python3 "tests/golden/$name.py" > "$work/text"
	"$scope" dump --reverse "$work/text" -o "$work/$name.trace" 2> /dev/null
	"$scope" report -i "$work/$name.trace" -o "$work/$name.json"
done

# compares NAME STATUS WHAT BEFORE AFTER [OPTION...]: WHAT is "change function" of each function, with commas
compares() {
	local name=$1 status=$2 what=$3 got=0
	shift 3
	"$scope" diff "$@" --format json > "$work/$name.diff.json" || got=$?
	said=$(python3 -c '
import json, sys
print(",".join("{change} {function}".format(**f) for f in json.load(open(sys.argv[1]))["functions"]))' "$work/$name.diff.json")
	if [ "$got" -ne "$status" ] || [ "$said" != "$what" ]; then
		echo "not ok - $name: status $got, '$said'"
		bad=1
	else
		echo "ok - $name"
	fi
}

# More requests are slow, or fewer; the rest of the report is as it was.
scaled() {	# NAME FACTOR
	python3 -c '
import json, sys
report = json.load(open(sys.argv[1]))
report["basis"]["slow_requests"] = int(report["basis"]["slow_requests"] * float(sys.argv[2]))
for finding in report["findings"]:
    finding["units"] = int(finding["units"] * float(sys.argv[2]))
json.dump(report, sys.stdout)' "$work/lock.json" "$2" > "$work/$1.json"
}
scaled more 1.5
scaled little_more 1.1
scaled fewer 0.5

compares same 0 "same rebalance" "$work/lock.trace" "$work/lock.trace"
compares trace_and_report 0 "same rebalance" "$work/lock.trace" "$work/lock.json"
compares other_bugs 3 "new flush_log,new find_item,gone rebalance" "$work/lock.trace" "$work/two_bugs.json"
compares fixed 0 "gone rebalance" "$work/lock.json" "$work/healthy.trace"
compares hangs 3 "new wait_for_helper" "$work/healthy.json" "$work/hang.json"
compares more 3 "worse rebalance" "$work/lock.json" "$work/more.json"
compares within_the_threshold 0 "same rebalance" "$work/lock.json" "$work/more.json" --threshold 100
compares within_the_interval 0 "same rebalance" "$work/lock.json" "$work/little_more.json" --threshold 0
compares fewer 0 "better rebalance" "$work/lock.json" "$work/fewer.json"

# All requests take longer alike, so none is slow among the others.
compares all_longer 3 "" "$work/healthy.trace" "$work/every_request.json"
compares all_shorter 0 "" "$work/every_request.trace" "$work/healthy.json"
compares longer_within_the_threshold 0 "" "$work/healthy.json" "$work/every_request.json" --threshold 2000
compares without_a_cpu 3 "" "$work/healthy.json" "$work/taken.json"
compares stages 0 "" "$work/one_stage_grew.json" "$work/all_stages_grew.json"
# facts NAME WANTED: of a comparison, whether requests take longer, and which functions do in usual ones
facts() {
	local got
	got=$(python3 -c '
import json, sys
found = json.load(open(sys.argv[1]))
print(found["time"], ",".join(sorted("{change} {function}".format(**f) for f in found["usual"])))' "$work/$1.diff.json")
	[ "$got" = "$2" ] && echo "ok - usual requests: $1" || { echo "not ok - $1: '$got'"; bad=1; }
}
facts same "same "
facts all_longer "worse longer find_item"
facts all_shorter "better shorter find_item"
facts without_a_cpu "worse longer render,shorter parse"
facts stages "same longer render_page,shorter parse_body"
# Of a report whose parts are fewer no interval is known.
python3 -c '
import json, sys
report = json.load(open(sys.argv[1]))
report["pictures"]["strips"]["points"] = report["pictures"]["strips"]["points"][:5]
json.dump(report, sys.stdout)' "$work/every_request.json" > "$work/short.json"
compares no_interval 0 "" "$work/healthy.json" "$work/short.json"
python3 -c '
import json, sys
for name, key in (("no_interval", "after"), ("all_longer", "before")):
    median = json.load(open(f"{sys.argv[1]}/{name}.diff.json"))[key]["median"]
    if (median is None) != (name == "no_interval") or (median and not median["low"] <= median["ns"] <= median["high"]):
        sys.exit(f"not ok - the median of {name}: {median}")' "$work" || bad=1
python3 tests/unit/schema.py docs/schema/commands.schema.json "$work"/*.diff.json || bad=1
"$scope" diff "$work/healthy.json" "$work/every_request.json" > "$work/said"
for line in '^WORSE' '^  worse     requests take longer$' '^            after   half take up to 1.1 ms (1.1 ms to 1.1 ms)$' \
	'^  longer    find_item in server, in each usual request$' '^            before  less than 10.1 µs$' '(epoll 81 → 31 %)$'; do
	grep -q "$line" "$work/said" || { echo "not ok - the text of all_longer lacks '$line'"; bad=1; }
done

"$scope" diff "$work/lock.json" "$work/two_bugs.json" > "$work/said"
for line in '^WORSE' '^  new       flush_log in server, waits longer$' '^  gone      rebalance in server, holds a lock$' \
	'in 0.75 % (0.65 to 0.87 %), 4.8 ms instead of 0.11 ms'; do
	grep -q "$line" "$work/said" || { echo "not ok - the text lacks '$line'"; bad=1; }
done

# Twenty parts of a second in ten batches, of 1, 2, … 10 requests each and as many tenths of the time: 5.5 ± 2.262 · 3.0277 / √10. One of
# nineteen parts has no interval.
batches() {	# NAME PARTS RUN
	python3 -c '
import json, sys
parts, run = int(sys.argv[1]), float(sys.argv[2])
values = [i // 2 + 1 for i in range(parts)]
json.dump({"schema": 1, "findings": [], "basis": {"requests": sum(values)}, "trace": {"begin_ns": 0, "end_ns": parts * 10 ** 9},
           "pictures": {"strips": {"points": [[value, 0, 1000] for value in values]},
                        "over_time": {"groups": [{"group": "g", "shares": {"run": [value * run for value in values]}}]}},
           "groups": [{"name": "g", "wall_ns": 1, "run_ns": 5.5 * run}]}, sys.stdout)' "$2" "$3" > "$work/$1.json"
}
batches slow_batches 20 0.01
batches fast_batches 20 0.1
batches few_parts 19 0.1
"$scope" diff "$work/slow_batches.json" "$work/fast_batches.json" --format json > "$work/batches.diff.json" 2>&1
"$scope" diff "$work/slow_batches.json" "$work/few_parts.json" --format json > "$work/few.diff.json" 2>&1
python3 -c '
import json, math, sys
found, few = (json.load(open(f"{sys.argv[1]}/{name}.diff.json")) for name in ("batches", "few"))
half = 2.262 * math.sqrt(82.5 / 9 / 10)
change = found["groups"][0]["change"]
wide = math.hypot(0.1 * half, 0.01 * half)
wanted = {"rate": (found["after"]["per_s_interval"], (5.5 - half, 5.5 + half)),
          "run": (change["run"], (0.495 - wide, 0.495 + wide)), "asleep": (change["asleep"], (-0.495 - wide, -0.495 + wide))}
for name, (said, true) in wanted.items():
    if not all(abs(a - b) < 1e-4 for a, b in zip(said, true)):
        sys.exit(f"not ok - the interval of {name}: {said}, not {true}")
if few["after"]["per_s_interval"] is not None or few["groups"][0]["change"]["run"] is not None:
    sys.exit("not ok - nineteen parts have an interval")' "$work" || bad=1
"$scope" diff "$work/slow_batches.json" "$work/fast_batches.json" > "$work/said"
grep -q ' 6 a second (3 to 8)$' "$work/said" && grep -q 'g: runs 6 → 55 % (+50 ±22)' "$work/said" ||
	{ echo "not ok - the text of intervals"; cat "$work/said"; bad=1; }

# Reports from elsewhere may be anything.
echo '{"schema": 1, "findings": [3, {"function": "x", "units": "y"}, null], "basis": [], "usual": {"functions": [4, {"share": "z"}]},
	"pictures": {"strips": {"points": [1, [2], [3, 4, "x"], {}, null, [1, 1, 1], [1, 1, 1]]}},
	"groups": [{"name": 3, "blocked_ns": [1]}, {"wall_ns": 1, "blocked_ns": {"\u001b": 3}}]}' > "$work/odd.json"
"$scope" diff "$work/odd.json" "$work/odd.json" > "$work/said" || { echo "not ok - an odd report"; cat "$work/said"; bad=1; }
echo '{"schema": 2}' > "$work/newer.json"
! "$scope" diff "$work/newer.json" "$work/lock.json" 2> "$work/said" && grep -q "no report of schema 1" "$work/said" ||
	{ echo "not ok - a schema that is not known"; bad=1; }
! "$scope" diff "$work/lock.json" 2> "$work/said" && grep -q "name two traces" "$work/said" || { echo "not ok - one file"; bad=1; }
exit $bad
