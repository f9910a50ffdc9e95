#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Trace by perf events without root, with one capability after another: what works, and the message if
# something does not.
#
# Usage: tests/unit/perf_capabilities.sh
# Exit status: 0 passed; 1 failed; 77 perf events or capabilities cannot be used here.
# It does not matter if the host has mounted tracefs: this test mounts it for itself alone.
if [ "${1:-}" != inside ]; then exec unshare -m "$0" inside; fi
mountpoint -q /sys/kernel/tracing || mount -t tracefs nodev /sys/kernel/tracing ||
	{ echo "skipped: tracefs cannot be mounted here"; exit 77; }
. "$(dirname "$0")/live.bash"
# nobody has to reach it.
cp "$scope" "$dir/scope"
chmod 777 "$dir"

# with CAPABILITY... -- COMMAND...: as nobody, with these alone
with() {
	local list=-all
	for (( ; ; )); do
		[ "$1" != -- ] || break
		list+=",+$1"
		shift
	done
	shift
	setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps="$list" --ambient-caps="$list" \
		--bounding-set="$list" "$@" > "$dir/said" 2>&1
}
with perfmon -- true || { echo "skipped: no CAP_PERFMON here: $(cat "$dir/said")"; exit 77; }

# says NAME PATTERN: the last command did
says() {
	if grep -qE -- "$2" "$dir/said"; then
		echo "ok - $1"
	else
		echo "not ok - $1: no '$2' in:"
		cat "$dir/said"
		bad=1
	fi
}

# at_least NAME COUNT PATTERN: lines of the trace
at_least() {
	local found
	found=$("$scope" dump "$dir/trace" | grep -cE -- "$3")
	if [ "$found" -ge "$2" ]; then
		echo "ok - $1: $found"
	else
		echo "not ok - $1: $found, expected $2 or more; last was said:"
		tail -n 5 "$dir/said"
		bad=1
	fi
}

command=(bash -c 'for _ in {1..20}; do /bin/true; done; sleep 0.5; :')
record=(timeout 60 "$dir/scope" record --source perf -o "$dir/trace")

if [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -ge 0 ]; then
	with -- "${record[@]}" -- "${command[@]}" && bad=1
	says "without any the message names CAP_PERFMON" 'perf_event_open is not allowed .*CAP_PERFMON'
fi

if [ "$(stat -c %a /sys/kernel/tracing)" = 700 ]; then
	with perfmon -- "${record[@]}" -- "${command[@]}" && bad=1
	says "without tracefs the message names the mount option" \
		'tracefs in /sys/kernel/tracing cannot be read .*mount -o remount,gid=GROUP'
fi

# May read tracefs, as who is of its group may.
with perfmon dac_read_search -- "${record[@]}" -- "${command[@]}" || { cat "$dir/said"; bad=1; }
at_least "children of a command of one's own" 20 ' fork '
at_least "calls" 1000 ' (syscall|exit) '
at_least "maps" 5 '^map .*/bash '

sleep 1000 & target=$!
until grep -q sleep "/proc/$target/comm"; do sleep 0.01; done
with perfmon dac_read_search -- "${record[@]}" -d 0.2 -p "$target" || { cat "$dir/said"; bad=1; }
# Newer kernels let CAP_PERFMON read maps.
cp "$dir/said" "$dir/recorded"
if with perfmon dac_read_search -- cat "/proc/$target/maps"; then
	at_least "maps of another user's process" 5 '^map .*/sleep '
else
	cp "$dir/recorded" "$dir/said"
	says "it reports what cannot be read of another user's process" \
		"maps, descriptors and memory of process $target may not be read.*CAP_SYS_PTRACE"
fi
with perfmon dac_read_search sys_ptrace -- "${record[@]}" -d 0.2 -p "$target" || { cat "$dir/said"; bad=1; }
at_least "maps of another user's process, with CAP_SYS_PTRACE" 5 '^map .*/sleep '
if grep -q 'may not be read' "$dir/said"; then
	echo "not ok - it complains without a reason"
	bad=1
fi
exit "$bad"
