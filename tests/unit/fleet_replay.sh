#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A hundred hosts whose summaries are those of golden traces, with other names, a little faster or slower, and without some seconds: the
# report names the slow host and its functions, for any slow host; if no host is slow, it names none.
#
# Usage: tests/unit/fleet_replay.sh [ROUNDS]      default 1
set -euo pipefail
cd "$(dirname "$0")/../.."
. tests/unit/fleet.bash
trap 'rm -rf "$work"' EXIT
out=${scope%/scope}
make -s SAN="$([[ $out != */san ]] || echo 1)" "${out#"$PWD"/}/bench/fleet_replay"
rounds=${1:-1} hosts=100 right=0

trace sick three_bugs
trace well healthy
for one in sick well; do "$scope" fleet summarize "$work/$one.trace" -o "$work/$one.scopesum"; done
for round in $(seq "$rounds"); do
	sick=$((round * 37 % hosts))
	rm -rf "$work/hosts"
	mkdir "$work/hosts"
	for i in $(seq 0 $((hosts - 1))); do
		name=$([ "$i" = $sick ] && echo sick || echo well)
		"$out/bench/fleet_replay" copy "$work/$name.scopesum" "$work/hosts/$i.scopesum" "web-$i" $((round * hosts + i))
	done
	"$scope" fleet report "$work/hosts" --format json > "$work/fleet.json"
	before=$bad
	same "round $round: web-$sick alone is named, with its three functions" \
		"$(field "$work/fleet.json" '(sorted(f["function"] for f in d["functions"]), {tuple(f["hosts"]) for f in d["functions"]}, {f["compared"] for f in d["functions"]})')" \
		"(['find_item', 'flush_log', 'seek_back'], {('web-$sick',)}, {$hosts})"
	rm "$work/hosts/$sick.scopesum"
	"$scope" fleet report "$work/hosts" --format json > "$work/well.json"
	same "round $round: without it no host is" "$(field "$work/well.json" 'd["functions"]')" "[]"
	right=$((right + (bad == before)))
done
echo "$right of $rounds rounds are right"
exit $bad
