#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Trace by perf events without a mounted tracefs, also if this host has one: root can still
# trace, and a user who may not mount a tracefs gets a message that says what to mount.
#
# Usage: tests/unit/perf_no_tracefs.sh
# Exit status: 0 passed; 1 failed; 77 perf events cannot be used here.
if [ "${1:-}" != inside ]; then exec unshare -m "$0" inside; fi
for place in /sys/kernel/tracing /sys/kernel/debug/tracing /sys/kernel/debug; do
	while mountpoint -q "$place"; do umount -l "$place" || exit 1; done
done
. "$(dirname "$0")/live.bash"
cp "$scope" "$dir/scope"
chmod 777 "$dir"
if [ -e /sys/kernel/tracing/events ] || [ -e /sys/kernel/debug/tracing/events ]; then
	echo "not ok - tracefs is still there"
	exit 1
fi

remedy='tracefs is not mounted .*`mount -t tracefs nodev /sys/kernel/tracing`'
if "$scope" record --source perf -o "$dir/trace" -- bash -c 'for _ in {1..20}; do /bin/true; done' > "$dir/said" 2>&1; then
	found=$("$scope" dump "$dir/trace" | grep -cE ' (syscall|exit) ')
	echo "calls of a capture by root: $found"
	[ "$found" -ge 1000 ] || { echo "not ok - expected 1000 or more"; bad=1; }
elif grep -q "$remedy" "$dir/said" && [ "$(uname -r | cut -d. -f1)" -lt 6 ]; then
	echo "ok - this kernel has no fsopen, and the remedy is named"
else
	echo "not ok - root cannot capture:"
	cat "$dir/said"
	bad=1
fi
setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all,+perfmon --ambient-caps=-all,+perfmon \
	--bounding-set=-all,+perfmon "$dir/scope" record --source perf -o "$dir/theirs" -- true > "$dir/said" 2>&1 &&
	{ echo "not ok - nobody has read tracefs"; bad=1; }
grep -q "$remedy" "$dir/said" || { echo "not ok - no remedy is named:"; cat "$dir/said"; bad=1; }
[ "$(wc -l < "$dir/said")" -eq 1 ] || { echo "not ok - not in one line:"; cat "$dir/said"; bad=1; }
exit "$bad"
