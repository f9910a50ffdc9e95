#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A server that loops without progress, sleeps in another poll than its loop's, waits for a peer without a time-out, or freezes, traced by perf events on this host:
# the report has this finding, with the function. It has no such finding for a server that polls instead of sleeping, or that gets no requests.
#
# Usage: tests/unit/stuck_live.sh [WAY...]
# Exit status: 0 passed; 1 failed; 77 perf events cannot be used here.
. "$(dirname "$0")/live.bash"
gcc -O1 -g -Wall -Wextra -Werror -o "$dir/work" tests/unit/stuck_work.c || exit 1

# capture WAY SECONDS: leaves the report in $dir/report.
capture() {
	capture_begin "$dir/work" "$1" || return 1
	sleep "$2"
	capture_end || return 1
	kill "$server"
	kill "$target" 2> /dev/null
	wait "$target" 2> /dev/null
	target=
	"$scope" report -v -i "$dir/a.trace" > "$dir/report"
}

# expect WAY SECONDS PATTERN...: each is in a line of the report; three times where this host is busy.
expect() {
	local way=$1 seconds=$2 missing pattern
	shift 2
	[ ${#ways[@]} -eq 0 ] || [[ " ${ways[*]} " == *" $way "* ]] || return 0
	for _ in 1 2 3; do
		capture "$way" "$seconds" || exit 1
		missing=
		for pattern; do
			grep -Eq -- "$pattern" "$dir/report" || missing=$pattern
		done
		[ -n "$missing" ] || break
	done
	if [ -z "$missing" ]; then
		echo "ok - $way"
	else
		echo "not ok - $way: no '$missing' in"
		cat "$dir/report"
		bad=1
	fi
}

ways=("$@")
expect accept 4 '^  SPIN inside' 'accept4\(.*fails' '^  1  (take_client|run_loop) '
expect eof 4 '^  SPIN inside' 'epoll_wait, read\(.* returns 0' '^  1  (serve|run_loop) '
expect hang-up 4 '^  SPIN inside' 'epoll_wait returns at once' '^  1  run_loop '
expect timer 4 '^  SPIN inside' 'epoll_wait returns at once' '^  1  run_loop '
expect resolve 4 '^  HANG inside' '^  1  ask_resolver '
expect peer 4 '^  HANG inside' '^  1  ask_peer ' 'no time-out has ended its read on a connection in [0-9.]+ s'
expect freeze 8 '^  FREEZES inside the program. 2 stalls: 1.5 s' '^  1  save_all '
expect busy 3 '^  (NOTHING ABNORMAL|OUTSIDE THE PROGRAM)'
expect idle 3 '^  NOTHING ABNORMAL'
exit "$bad"
