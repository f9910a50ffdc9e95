#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A hangup ends a capture and keeps its file; started by nohup, a capture goes on.
#
# Usage: tests/unit/perf_nohup_live.sh
# Exit status: 0 passed; 1 failed; 77 perf events cannot be used here.
. "$(dirname "$0")/live.bash"

sleep 1000 & target=$!
until grep -qx sleep "/proc/$target/comm"; do sleep 0.01; done

# start FILE [COMMAND...]: begins a capture, through the command; leaves $recorder
start() {
	local file=$1
	shift
	"$@" "$scope" record -p "$target" -d 1000 --source perf -o "$file" > "$dir/said" 2>&1 < /dev/null & recorder=$!
	begun "$recorder" "$file" || { cat "$dir/said"; exit 1; }
}

start "$dir/plain" env --default-signal=HUP
kill -HUP "$recorder"
wait "$recorder" || { echo "not ok - a hangup: status $?"; bad=1; }
"$scope" dump "$dir/plain" > "$dir/text"
grep -q '^meta end_reason interrupt' "$dir/text" || { echo "not ok - a hangup keeps no file"; bad=1; }

start "$dir/nohup" nohup
kill -HUP "$recorder"
# What a signal that it heeds does at once, long before another comes.
sleep 1
if kill -TERM "$recorder" 2>/dev/null && [ -e "$dir/nohup.part" ]; then
	echo "ok - nohup: it went on"
else
	echo "not ok - it ended by the hangup that nohup had ignored:"
	cat "$dir/said"
	bad=1
fi
wait "$recorder" || bad=1
[ -e "$dir/nohup" ] || { echo "not ok - it left no file"; bad=1; }
exit "$bad"
