#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Each command reports that a trace was cut off: it fails if the trace is its input, and prints a note if another trace
# is compared with it.
#
# Environment: SCOPE (build/san/scope)
set -euo pipefail
cd "$(dirname "$0")/../.."

scope=$(realpath "${SCOPE:-build/san/scope}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0

PYTHONDONTWRITEBYTECODE=1 python3 tests/golden/five_stages.py > "$work/text"
"$scope" dump --reverse "$work/text" -o "$work/whole" 2> /dev/null
head -c $(($(stat -c %s "$work/whole") * 3 / 4)) "$work/whole" > "$work/cut"

# says STATUS COMMAND...
says() {
	local wanted=$1 status=0
	shift
	(cd "$work" && "$scope" "$@") > "$work/out" 2> "$work/said" || status=$?
	[ $status -eq "$wanted" ] && grep -q "cut: the file ends inside" "$work/said" && return
	echo "not ok cut_traces $*: status $status, not $wanted, and:"
	cat "$work/said"
	bad=1
}

for command in report waits model explore metrics; do
	says 1 $command -i cut
done
for command in report metrics; do
	says 0 $command -i whole --baseline cut
	says 1 $command -i cut --baseline whole
done
says 0 diff cut whole
says 3 diff whole cut # it has less of everything
[ $bad -ne 0 ] || echo "ok cut_traces"
exit $bad
