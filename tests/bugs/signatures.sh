#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# How well signatures name the bugs of the bench, beside stacks: for each, the same server learns under
# its load, is traced with stacks, and one trace is reported in three ways.
#
# Usage: tests/bugs/signatures.sh [BUG...]     default: a few of each kind. Needs root and perf events;
# the servers must be built (tests/bugs/build.sh). By hand: figures are those of one run.
# Environment: SEED (1), LEARN_S (10), TRACE_S (12)
# Prints a line for each: its name, the rank of the true function by stacks, by signatures alone and by
# both ("-": not named), how many functions each way named, and how many functions the program has.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

scope=build/user/scope
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
bugs=("$@")
[ $# -gt 0 ] || bugs=(own-sleep own-retry own-bytes own-fsync own-log own-two io lock cpu hang)

# Rank of the first function that matches, and how many are named.
rank() {	# REPORT EXPECT
	awk -v expect="^($2)$" '
	/^  #  function/ { on = 1; next }
	on && $1 ~ /^[0-9]+$/ { named++; if (!rank && $2 ~ expect) rank = $1; next }
	{ on = 0 }
	END { print (rank ? rank : "-") "/" named + 0 }' "$1"
}

printf '%-12s %-8s %-12s %-8s %s\n' bug stacks signatures both functions
for bug in "${bugs[@]}"; do
	eval "$(DURATION=60 tests/bugs/start.sh "$bug" "${SEED:-1}")" || continue
	db=(--db "$dir/$bug.db")
	"$scope" learn -p "$SERVER_PID" -d "${LEARN_S:-10}" --source perf "${db[@]}" > "$dir/learned" 2> "$dir/said" ||
		cat "$dir/said"
	"$scope" record -p "$SERVER_PID" -d "${TRACE_S:-12}" --source perf -o "$dir/$bug.trace" > "$dir/said" 2>&1 ||
		cat "$dir/said"
	"$scope" report -i "$dir/$bug.trace" --no-signatures > "$dir/stacks"
	"$scope" report -i "$dir/$bug.trace" --no-stacks "${db[@]}" > "$dir/signatures"
	"$scope" report -i "$dir/$bug.trace" "${db[@]}" > "$dir/both"
	expect=${EXPECT//+/|}
	printf '%-12s %-8s %-12s %-8s %s\n' "$bug" "$(rank "$dir/stacks" "$expect")" \
		"$(rank "$dir/signatures" "$expect")" "$(rank "$dir/both" "$expect")" \
		"$(grep -oE 'of [0-9,]+ program functions' "$dir/both" | grep -oE '[0-9,]+' | head -n 1)"
	[ -z "${KEEP:-}" ] || { mkdir -p "$KEEP"; cp "$dir/stacks" "$KEEP/$bug.stacks"; cp "$dir/signatures" "$KEEP/$bug.signatures"; cp "$dir/both" "$KEEP/$bug.both"; cp "$dir/$bug.db" "$dir/$bug.trace" "$KEEP/"; }
	tests/bugs/stop.sh "$SERVER_PID" "$LOAD_PID"
done
