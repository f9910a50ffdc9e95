#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Explorations of a program of five stages and forty functions, one of which takes 5 ms more for one request in ten, each
# with its own seed: the function that was found, the number of probes and their cost, and the first round's figures
# compared with the program's own.
#
# Usage: tests/unit/explore_series_live.sh [COUNT]      default: 20
# Environment: SOURCE (perf), SEARCH (flat), BUDGET (percent of a CPU; default: the program's)
# Prints a line for each, and the counts; the time of a round is that from one line of progress to the next, so it has the
# analysis as well. Exit status: 0 the function was found in 19 of 20, with at most 34 % of the functions, and within the
# budget in all; 1 not; 77 perf events cannot be used here.
capture_by=${SOURCE:-perf}
. "$(dirname "$0")/live.bash"
[ -e /sys/bus/event_source/devices/uprobe/type ] || { echo "skipped: this kernel has no perf unit for uprobes"; exit 77; }
gcc -O2 -g -Wall -Wextra -Werror -o "$dir/work" tests/unit/explore_work.c -lpthread -ldl -lm || exit 1

stamped() {
	local line
	echo "$EPOCHREALTIME begin"
	while IFS= read -r line; do
		echo "$EPOCHREALTIME $line"
	done
}

for seed in $(seq "${1:-20}"); do
	coproc WORK { EXPLORE_SEED=$seed EXPLORE_LEDGER=$dir/ledger exec nice -n -15 "$dir/work" stages; }
	target=$WORK_PID
	read -r server <&"${WORK[0]}"
	sleep 0.5
	"$scope" explore -p "$server" --source "$capture_by" --search "${SEARCH:-flat}" ${BUDGET:+--budget "$BUDGET"} \
		--save "$dir/first.trace" --format json -o "$dir/found.$seed" 2>&1 | stamped > "$dir/said"
	[ "${PIPESTATUS[0]}" = 0 ] || { cat "$dir/said"; bad=1; }
	"$scope" dump "$dir/first.trace" | grep -E '^meta (begin|end)_ns' > "$dir/window"
	kill "$target" "$server"
	wait "$target" 2>/dev/null
	target=
	python3 tests/unit/explore_series.py "$seed" "$dir/found.$seed" "$dir/ledger" "$dir/window" \
		"$dir/said" | tee -a "$dir/results"
	rm -f "$dir/first.trace" "$dir/ledger"
done
[ "$bad" = 0 ] && python3 tests/unit/explore_series.py "$dir/results"
