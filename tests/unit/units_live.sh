#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Servers of many forms, traced by perf events on this host: the number of requests is that which their clients count, within 2 %.
#
# Usage: tests/unit/units_live.sh [SHAPE...]
# Exit status: 0 passed; 1 failed; 77 perf events cannot be used here.
. "$(dirname "$0")/live.bash"
gcc -O1 -Wall -Wextra -Werror -pthread -o "$dir/work" \
	tests/unit/units_work.c tests/unit/units_loops.c tests/unit/units_pools.c || exit 1

# capture SHAPE: $ledger as clients count, $requests as the report does, $lost events.
capture() {
	capture_work "$dir/work" "$1" 400 8 || return 1
	lost=$(sed -nE 's/.* ([0-9]+) lost,.*/\1/p' "$dir/said")
	"$scope" report -i "$dir/a.trace" --format json > "$dir/report" || return 1
	requests=$(sed -nE '0,/"requests": / s/.*"requests": ([0-9]+).*/\1/p' "$dir/report")
}

shapes=("$@")
[ $# -gt 0 ] || mapfile -t shapes < <("$dir/work")
for shape in "${shapes[@]}"; do
	# A busy host may lose events, or let the last ones come too late.
	for _ in 1 2 3; do
		capture "$shape" || exit 1
		off=$((requests > ledger ? requests - ledger : ledger - requests))
		[ "$lost" -ne 0 ] || [ $((off * 50)) -gt "$ledger" ] || break
	done
	if [ $((off * 50)) -le "$ledger" ]; then
		echo "ok - $shape: $requests requests, $ledger by the clients' count"
	else
		echo "not ok - $shape: $requests requests, $ledger by the clients' count, $lost events lost"
		bad=1
	fi
done
exit "$bad"
