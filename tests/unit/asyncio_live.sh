#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A server on Python's asyncio, traced by perf events: the report names the functions whose tasks make slow requests wait,
# for a lock or a thread, and reports a task that waits forever as a hang; for a healthy server it finds nothing abnormal. If this host is busy a
# verdict may name the host; stacks and their names do not depend on the load.
#
# Usage: tests/unit/asyncio_live.sh      PYTHON= names an interpreter (default /usr/bin/python3)
# Exit status: 0 passed; 1 failed; 77 perf events cannot be used here, or there is no such interpreter.
. "$(dirname "$0")/live.bash"
python=${PYTHON:-/usr/bin/python3}
[ -x "$python" ] || { echo "skipped: $python is not there"; exit 77; }

ask() {	# KINDS [KIND]: kinds of some requests, and that of one whose client waits beside them
	local port client=
	rm -f "$dir"/a.trace*
	capture_begin "$python" tests/unit/asyncio_work.py || exit 1
	read -r port <&"${WORK[0]}"
	if [ $# -gt 1 ]; then
		exec {client}<> "/dev/tcp/127.0.0.1/$port"
		printf %s "$2" >&"$client"
	fi
	"$python" tests/unit/interpreter_load.py "$port" "$1" 2000
	capture_end || exit 1
	[ -z "$client" ] || exec {client}>&-
	kill "$target"
	wait "$target" 2>/dev/null
	target=
	"$scope" report -v -i "$dir/a.trace" > "$dir/report"
}

ask l
report_says "a lock" '^ +1 +(write_ledger|add_order) ' 'write_ledger'
ask d
report_says "a thread" '^ +[12] +keep_order '
ask '' h
report_says "a hang" '^HANG in ' 'never_told: 1 task has waited in await for'
ask ''
if grep -qE '^(SLOWDOWN in|HANG|SPIN)' "$dir/report"; then
	echo "not ok - a healthy server"
	cat "$dir/report"
	bad=1
else
	echo "ok - a healthy server"
fi
exit $bad
