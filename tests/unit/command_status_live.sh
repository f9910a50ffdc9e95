#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The exit status of a command that was started is returned, for any form of output; and no size or time is printed as 0.0.
. "$(dirname "$0")/live.bash"

# ends NAME STATUS COMMAND...
ends() {
	local name=$1 wanted=$2 status=0
	shift 2
	(cd "$dir" && "$@") > "$dir/said" 2>&1 < /dev/null || status=$?
	if [ $status -eq "$wanted" ]; then
		echo "ok - $name: $status"
	else
		echo "not ok - $name: status $status, not $wanted; said:"
		sed 's/^/    /' "$dir/said"
		bad=1
	fi
}

ends "report of a command that succeeds" 0 "$scope" report --source perf -- true
ends "report of one that fails" 7 "$scope" report --source perf -- sh -c 'exit 7'
ends "report of one that is killed" 137 "$scope" report --source perf -- sh -c 'kill -9 $$'
ends "report of one that goes on" 0 "$scope" report --source perf -d 1 -- sh -c 'sleep 3; exit 7'
ends "record" 5 "$scope" record --source perf -o a.trace -- sh -c 'exit 5'
grep -qE '^a.trace: sh\[[0-9]+\], .* events, 0 lost, [0-9]+ stacks?, [1-9][0-9.]* (bytes|kB|MB)$' "$dir/said" ||
	{ echo "not ok - the summary of record:"; cat "$dir/said"; bad=1; }
! grep -E '(^|[ ,(])0\.0+ ' "$dir/said" || { echo "not ok - it prints 0.0"; bad=1; }
ends "record -q" 5 "$scope" record -q --source perf -o b.trace -- sh -c 'exit 5'
[ ! -s "$dir/said" ] || { echo "not ok - record -q prints:"; cat "$dir/said"; bad=1; }
ends "record of a program that is not there" 1 "$scope" record --source perf -o c.trace -- /no/such/program
for command in waits model explore metrics; do
	ends "$command" 3 "$scope" $command --source perf -- sh -c 'exit 3'
done
exit $bad
