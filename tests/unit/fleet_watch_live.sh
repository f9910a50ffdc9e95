#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A watch of a server by perf events on this host writes summaries while another program moves them away: each second once, in at most 1 KB,
# and the report over them names the function that became slow, and since when.
#
# Usage: tests/unit/fleet_watch_live.sh
# Exit status: 0 passed; 1 failed; 77 perf events cannot be used here.
. "$(dirname "$0")/watching.bash"

name=fleet_$((BASHPID % 100000))
until_true() {	# SECONDS COMMAND...
	local _ seconds=$1
	shift
	for _ in $(seq $((seconds * 10))); do
		! "$@" 2> /dev/null || return 0
		sleep 0.1
	done
	return 1
}
field() { python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$1" "$2"; }
report() { "$scope" fleet report "$dir/hosts" --format json > "$dir/report.json" 2> /dev/null; }
named() { report && field "$dir/report.json" '[f["function"] for f in d["functions"]][0]' 2> /dev/null | grep -q render_slowly; }

coproc WORK { exec "$dir/work" "$name"; }
target=$WORK_PID
read -r _ server <&"${WORK[0]}"
mkdir "$dir/hosts"
"$scope" watch -p "$name" --source perf -o "$dir/w.trace" --format none --min-interval 1 --after 1 \
	--summary "$dir/hosts/this.scopesum" --label rack=b7 2> "$dir/said" &
watcher=$!
is "the first summary is there" until_true 60 report
# As a program would that sends files away: the next one goes into a new file.
mv "$dir/hosts/this.scopesum" "$dir/hosts/moved.scopesum"
sleep 12
echo slow >&"${WORK[1]}"
read -r _ began <&"${WORK[0]}"
is "the function that became slow is named" until_true 60 named
kill -INT "$watcher"
wait "$watcher"
is "Ctrl-C ends it well" [ $? = 0 ]
watcher=
report
is "it is the only host, with its label" [ "$(field "$dir/report.json" '(len(d["members"]), d["members"][0]["labels"], d["functions"][0]["spread"])')" = \
	"(1, {'rack': 'b7'}, 'only host')" ]
is "since when is right within 2 s" awk -v a="$(field "$dir/report.json" 'd["functions"][0]["since_us"] / 1e6')" -v b="$began" \
	'BEGIN { exit !(a - b < 2 && b - a < 2) }'
is "no summary came twice, or overlaps" [ "$(field "$dir/report.json" '(d["read"]["twice"], d["read"]["overlapping"], d["read"]["problems"])')" = "(0, 0, [])" ]
is "there are several, in two files" [ "$(field "$dir/report.json" 'd["read"]["summaries"] > 1 and d["read"]["files"] == 2')" = True ]
seconds=$(field "$dir/report.json" 'int((d["members"][0]["to_us"] - d["members"][0]["from_us"]) / 1e6)')
bytes=$(cat "$dir"/hosts/*.scopesum | wc -c)
is "they take at most 1,000 bytes a second: $bytes for $seconds s" [ "$bytes" -le $((1000 * (seconds + 2))) ]
[ "$bad" = 0 ] || { cat "$dir/said"; cat "$dir/report.json"; }
exit "$bad"
