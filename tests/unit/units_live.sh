#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Servers of many shapes, traced by perf events on this host: requests are as many as their clients count, within 2 %.
#
# Usage: tests/unit/units_live.sh [SHAPE...]
# Exit status: 0 all agree; 1 not; 77 perf events cannot be used here.
. "$(dirname "$0")/live.bash"
gcc -O1 -Wall -Wextra -Werror -pthread -o "$dir/work" \
	tests/unit/units_work.c tests/unit/units_loops.c tests/unit/units_pools.c || exit 1

# capture SHAPE: $ledger as clients count, $requests as the report does, $lost events.
capture() {
	local recorder word
	coproc WORK { exec "$dir/work" "$1" 400 8; }
	target=$WORK_PID
	read -r word server <&"${WORK[0]}"
	"$scope" record -p "$server" --source perf --subbuf-count 64 -d 600 -o "$dir/a.trace" > "$dir/said" 2>&1 &
	recorder=$!
	begun "$recorder" "$dir/a.trace" || { cat "$dir/said"; return 1; }
	echo go >&"${WORK[1]}"
	read -r word ledger <&"${WORK[0]}"
	sleep 0.2
	kill -INT "$recorder"
	wait "$recorder" || { cat "$dir/said"; return 1; }
	echo end >&"${WORK[1]}"
	wait "$target"
	target=
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
