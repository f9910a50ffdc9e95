#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The report on a trace that a trigger had written begins with the requests that made the trigger fire, even if it is only one.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

scope=$(realpath "${SCOPE:-build/san/scope}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0

says() {	# NAME PATTERN FILE
	if tr -s ' \n' ' ' < "$3" | grep -qe "$2"; then
		echo "ok - $1"
	else
		echo "not ok - $1:"
		sed 's/^/    /' "$3"
		bad=1
	fi
}

# One request of a healthy server runs 300 ms longer: all after its read comes later.
PYTHONDONTWRITEBYTECODE=1 python3 tests/golden/healthy.py > "$work/plain.text"
python3 - "$work/plain.text" > "$work/once.text" <<'END'
import re
import sys

late = 0
for line in open(sys.argv[1]):
    words = line.split()
    if words[0] == "meta" and words[1] == "end_ns":
        line = f"meta end_ns {int(words[2]) + 300_000_000}\nmeta end_reason trigger unit>200ms: thread 100, 0.300 s\n"
    elif words[0].isdigit():
        if not late and int(words[0]) > 1_000_000_000 and words[4] == "write":
            late = 300_000_000
        line = re.sub(r"enter=(\d+)", lambda m: f"enter={int(m[1]) + late}", line)
        line = f"{int(words[0]) + late} " + line.split(None, 1)[1]
    print(line, end="")
END
for name in plain once; do
	"$scope" dump --reverse "$work/$name.text" -o "$work/$name.trace" 2> /dev/null
	(cd "$work" && "$scope" report "$name.trace") > "$work/$name.report"
	"$scope" report --format json "$work/$name.trace" > "$work/$name.json"
done
says "the trigger comes first" 'lost Recorded because of unit>200ms: thread 100, 0.300 s\. No function' "$work/once.report"
says "then its request" 'Its work 0.30 s from 1\.0.* s on read .*0.30 s running.* write' "$work/once.report"
! grep -q 'Recorded\|Its work' "$work/plain.report" || { echo "not ok - other traces say nothing of it"; bad=1; }
python3 - "$work" <<'END' || { echo "not ok - JSON has the same"; bad=1; }
import json
import sys

plain, once = (json.load(open(f"{sys.argv[1]}/{name}.json")) for name in ("plain", "once"))
assert plain["triggered"] is None
assert once["triggered"]["why"] == "unit>200ms: thread 100, 0.300 s", once["triggered"]
unit = once["triggered"]["unit"]
assert unit["wall_ns"] > 300_000_000 and {call["call"] for call in unit["path"]} >= {"read", "write", None}, unit
END
[ "$(wc -l < "$work/once.report")" -le 15 ] || { echo "not ok - more than 15 lines"; bad=1; }
exit $bad
