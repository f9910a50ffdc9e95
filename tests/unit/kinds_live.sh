#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# scope report --kind-by u:PATH:FUNCTION:argN by perf events on this host, which also record arguments of functions and what
# they return (scope record --probe); what needs the module is refused, with the remedy.
#
# Exit status: 0 all is as it should be; 1 not; 77 perf events, or probes by them, cannot be used here.
. "$(dirname "$0")/live.bash"
[ -e /sys/bus/event_source/devices/uprobe/type ] || { echo "skipped: this kernel has no perf unit for uprobes"; exit 77; }
gcc -O1 -Wall -Wextra -Werror -o "$dir/work" tests/vm/kinds_work.c || exit 1

coproc WORK { exec "$dir/work"; }
target=$WORK_PID
read -r _ server port <&"${WORK[0]}"
python3 tests/vm/kinds_client.py work "$port" 600 > "$dir/client" 2>&1 &
client=$!
for _ in $(seq 200); do [ -s "$dir/client" ] && break; sleep 0.05; done

ok() { echo "ok - $1"; }
not_ok() { echo "not ok - $1"; bad=1; }
# says STATUS PATTERN WHAT ARGUMENT...: scope ends with the status and prints the pattern.
says() {
	local wanted=$1 pattern=$2 what=$3 status=0
	shift 3
	rm -f "$dir/b.trace"
	"$scope" "$@" > "$dir/out" 2>&1 || status=$?
	{ [ "$status" -eq "$wanted" ] && tr '\n' ' ' < "$dir/out" | tr -s ' ' | grep -qE -- "$pattern"; } && ok "$what" ||
		{ not_ok "$what: status $status"; cat "$dir/out"; }
}

"$scope" report -p "$server" --source perf -d 4 --kind-by "u:$dir/work:serve:arg1" --save "$dir/a.trace" --format json \
	-o "$dir/report.json" > "$dir/said" 2>&1 || { cat "$dir/said"; bad=1; }
python3 - "$dir/report.json" <<'ENDPY' && ok "kinds by an argument" || bad=1
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    kinds = {one["name"]: one for one in json.load(file)["requests"]}
if sorted(kinds) != ["serve arg1=0", "serve arg1=1", "serve arg1=2"]:
    sys.exit(f"not ok - kinds {sorted(kinds)}")
slow, others = kinds["serve arg1=2"], [kinds["serve arg1=0"], kinds["serve arg1=1"]]
if not all(slow["p50_ns"] > 2 * one["p50_ns"] for one in others):
    sys.exit(f"not ok - kind 2 is not the slowest one: {kinds}")
ENDPY
"$scope" dump "$dir/a.trace" > "$dir/dump"
grep -q ' probe ' "$dir/dump" && not_ok "hits of this probe are records" || ok "hits of this probe are no records"

# Arguments by number, what a function returns (the second one is void: any value), and a probe without either.
says 0 '' "a capture with three probes" record -p "$server" --source perf --no-stacks -d 1 -o "$dir/b.trace" \
	--probe "u:$dir/work:serve,args=2" --probe "ur:$dir/work:serve" --probe "u:$dir/work:serve"
"$scope" dump "$dir/b.trace" > "$dir/dump"
python3 - "$dir/dump" <<'ENDPY' && ok "words of three probes" || bad=1
import collections
import re
import sys

seen = collections.Counter()
with open(sys.argv[1], encoding="utf-8", errors="replace") as file:
    for line in file:
        hit = re.match(r"\d+ \d+ probe \d+ (\d)( args=\S+)?( return)? user", line)
        if hit:
            words = (hit.group(2) or " args=").removeprefix(" args=").split(",") if hit.group(2) else []
            seen[hit.group(1), words[1] if hit.group(1) == "1" and len(words) == 2 else len(words), bool(hit.group(3))] += 1
# A request is of kind 0, 1, 2 in turn.
wanted = {("1", "0", False), ("1", "1", False), ("1", "2", False), ("2", 1, True), ("3", 0, False)}
if set(seen) != wanted or min(seen.values()) < 5:
    sys.exit(f"not ok - words {seen}")
ENDPY

says 1 'do not serve --kind-by with a protocol.*load the module' "a protocol is refused" \
	report -p "$server" --source perf -d 1 --kind-by redis
says 1 'no stacks at probes' "stacks at probes are refused" \
	record -p "$server" --source perf -d 1 -o "$dir/b.trace" --probe "u:$dir/work:serve,stack"
says 1 "arguments only of functions of programs" "arguments of the kernel are refused" \
	record -p "$server" --source perf -d 1 -o "$dir/b.trace" --probe "k:vfs_read,args=1"
says 1 'has no function nowhere' "a function that is not there" \
	report -p "$server" --source perf -d 1 --kind-by "u:$dir/work:nowhere:arg1"
says 2 'a return has arg0 alone' "an argument of a return" report -p "$server" --source perf -d 1 --kind-by "ur:$dir/work:serve:arg1"
says 2 'N from 0 to 5' "an argument too many" report -p "$server" --source perf -d 1 --kind-by "u:$dir/work:serve:arg6"
says 0 'no request came to the function of --kind-by' "a place that nobody comes to" report -p "$server" --source perf -d 1 \
	--kind-by "u:$dir/work:main:arg1"
kill "$client"
wait "$client" 2> /dev/null
exit "$bad"
