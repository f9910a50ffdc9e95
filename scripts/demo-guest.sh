#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Inside the guest (or on a host that takes modules): insert scope.ko, start a server with a known
# bug under load, and report on it.
#
# Usage: demo-guest.sh MODULE SCOPE-REPORT BUG SEED SECONDS    MODULE '-': none, by perf events
# Leaves in $VM_OUT, where that is set: report.txt, expect (the functions that are a correct answer),
# kind, and demo.trace with KEEP_TRACE=1. Prints the report.
set -euo pipefail
cd "$(dirname "$0")/.."

module=$1 report=$2 bug=$3 seed=$4 seconds=$5
out=${VM_OUT:-$(mktemp -d)}
save=() source=kmod
[ -z "${KEEP_TRACE:-}" ] || save=(--save "$out/demo.trace")

if [ "$module" = - ]; then source=perf; else insmod "$module"; fi
# The load must outlast the wait, the capture and the slowness of an emulated machine.
eval "$(DURATION=$((seconds * 4 + 240)) tests/bugs/start.sh "$bug" "$seed")"
ended() {
	tests/bugs/stop.sh "$SERVER_PID" "$LOAD_PID" >/dev/null 2>&1 || true
	[ "$source" = perf ] || rmmod scope
}
trap ended EXIT

printf '%s\n' "$EXPECT" > "$out/expect"
printf '%s\n' "$KIND" > "$out/kind"
if [ "$KIND" = hang ]; then
	echo "demo: the server has hung; the report is asked for ${HANG_WAIT:-60} s later"
	sleep "${HANG_WAIT:-60}"
else
	sleep 2
fi
echo "demo: scope-report -p $SERVER_PID -d $seconds --source $source"
"$report" -p "$SERVER_PID" -d "$seconds" --source "$source" "${save[@]}" | tee "$out/report.txt"
