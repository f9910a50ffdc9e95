#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A server with one thread waits for a client that sends nothing, while other clients wait to be accepted: the report has a hang, and their number.
# This also works in another network namespace. If no client waits to be accepted, the thread is idle. If the thread does not read the bytes that its client
# sent, it hangs, even in a call in which threads idle.
#
# Usage: tests/unit/backlog_live.sh
# Exit status: 0 passed; 1 failed; 77 perf events cannot be used here.
. "$(dirname "$0")/live.bash"
work=$PWD/tests/unit/backlog_work.py

# Traces a server with that number of clients for 6 s; $answer is the verdict and the number that waits.
serve() {	# "CLIENTS [pause | datagrams]" [COMMAND...]
	local clients=$1
	shift
	# shellcheck disable=SC2086 # two words
	"$@" python3 "$work" $clients > "$dir/port" &
	until [ -s "$dir/port" ]; do sleep 0.1; done
	target=$(cat "$dir/port")
	"$scope" report -p "$target" --source perf -d 6 --format json -o "$dir/json" > "$dir/said" 2>&1 || { cat "$dir/said"; bad=1; }
	kill "$target"
	wait 2> /dev/null
	target=
	rm "$dir/port"
	answer=$(python3 -c 'import json, sys
report = json.load(open(sys.argv[1]))
print(report["verdict"], *[one["unread"] or one["backlog"] for one in report["findings"] if one["kind"] == "hang"])' "$dir/json")
}

expect() {	# ANSWER WHAT
	[ "$answer" = "$1" ] && echo "ok: $2: $answer" || { echo "not ok: $2: $answer, not $1"; bad=1; }
}

serve 4
expect "hang 3" "three wait to be accepted"
serve 1
expect "nothing" "nobody waits"
serve "1 pause"
expect "hang 1" "its client is not read"
serve "1 datagrams"
expect "hang 1" "its datagrams are not read"
if unshare -n true 2> /dev/null; then
	serve 4 unshare -n
	expect "hang 3" "three wait in another network namespace"
else
	echo "skipped: no network namespace can be made here"
fi
exit "$bad"
