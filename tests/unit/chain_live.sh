#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Requests that threads give to each other through a pipe, a condition variable, sockets, a futex, an eventfd, a semaphore, a signal, and to a
# thread and a process that are waited for; traced by perf events. On the requests' critical paths each stage has its run time, within 2 % of
# its own count, and the parts add up to the time of the wait.
#
# Usage: tests/unit/chain_live.sh
# Exit status: 0 passed; 1 failed; 77 perf events cannot be used here, or this host has one CPU.
. "$(dirname "$0")/live.bash"
[ "$(nproc)" -gt 1 ] || { echo "skipped: one CPU"; exit 77; }
gcc -D_GNU_SOURCE -O1 -g -Wall -Wextra -Werror -pthread -o "$dir/work" tests/unit/chain_work.c || exit 1

# Three times where this host is busy.
for _ in 1 2 3; do
	rm -f "$dir"/a.trace*
	capture_work nice -n -15 "$dir/work" 15 || exit 1
	"$scope" waits --slowest 15 --format json -i "$dir/a.trace" > "$dir/paths.json" || exit 1
	python3 tests/unit/chain_live.py "$dir/paths.json" "$ledger" 2> "$dir/why" && { echo "ok - chains"; exit 0; }
done
echo "not ok - chains: $ledger"
cat "$dir/why" "$dir/said"
"$scope" waits -v -i "$dir/a.trace"
exit 1
