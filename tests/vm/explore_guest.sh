#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The part of test_explore.sh that runs in the guest.
#
# Usage: explore_guest.sh SCOPE SCOPE_KO WORK      WORK: a folder with the programs work and text_changed
set -uo pipefail

scope=$1 module=$2 programs=$3
dir=$(mktemp -d /dev/shm/explore.XXXXXX)
here=$(dirname "$0")
export EXPLORE_THREADS=1
. "$here/guest.bash"
. "$here/../unit/explore_ends.bash"
[ -e /sys/kernel/tracing/events ] || mount -t tracefs tracefs /sys/kernel/tracing
[ -e /sys/kernel/debug/kprobes ] || mount -t debugfs debugfs /sys/kernel/debug

says_of() {	# FILE CODE: the code must be true of the exploration in FILE
	python3 -c 'import json, sys
exploration = json.load(open(sys.argv[1]))["exploration"]
tree = exploration["trees"][0] if exploration["trees"] else None
if not eval(sys.argv[2]): sys.exit(f"not true: {sys.argv[2]}\n{json.dumps(exploration, indent=1)[:3000]}")' "$@"
}

# The number of probes that is printed is that of the messages to the module, and none is left.
explores() {	# SOURCE
	local source=$1 listener= status said
	probes_listed > "$dir/listed"
	rm -f "$dir/found.$source"
	if [ "$source" = kmod ]; then
		python3 "$here/netlink_probes.py" "$dir/messages" > "$dir/listener" 2>&1 &
		listener=$!
		until_true grep -q ready "$dir/listener" || { cat "$dir/listener"; return 1; }
	fi
	"$scope" explore -p "$server" --source "$source" --budget 100 --format json -o "$dir/found.$source" 2> "$dir/said"
	status=$?
	[ -z "$listener" ] || { kill "$listener"; wait "$listener"; cat "$dir/messages"; }
	cat "$dir/said"
	[ "$status" = 0 ] && nothing_left || return 1
	[ -n "$listener" ] || return 0
	said=$(sed -n 's/^set \([0-9]*\) .* dropped 0 unanswered 0$/\1/p' "$dir/messages")
	says_of "$dir/found.$source" "exploration['probes'] == ${said:--1}"
}

# An emulated machine makes requests slow as well, so it may take more than one exploration.
finds() {	# SOURCE
	local _
	for _ in 1 2 3 4; do
		explores "$1" || return 1
		! says_of "$dir/found.$1" 'tree and tree["function"] == "check_7" and \
			exploration["functions_probed"] <= 0.34 * exploration["functions"]' || return 0
	done
	return 1
}

# Starts an exploration with probes in the kernel, as $explorer; true as soon as the kernel's own list has one of them.
see_kernel_probe() {
	"$scope" explore -p "$server" --source kmod --budget 100 --kernel-probes -d 4 > "$dir/out" 2> "$dir/said" &
	explorer=$!
	while kill -0 "$explorer" 2>/dev/null; do
		! grep -q nanosleep /sys/kernel/debug/kprobes/list || return 0
	done
	echo "no probe in the kernel was seen:"
	cat "$dir/said" "$dir/out"
	return 1
}

# Ends an exploration while there is a probe in the kernel; on an emulated machine it may not come to that each time.
kernel_probes() {	# SIGNAL
	local explorer _
	probes_listed > "$dir/listed"
	for _ in 1 2 3 4; do
		see_kernel_probe || continue
		kill -s "$1" "$explorer"
		wait "$explorer"
		nothing_left
		return
	done
	return 1
}

# An exploration on an emulated machine may end before that round: then it is begun again.
ends() {	# SOURCE ROUND SIGNAL
	local status _
	for _ in 1 2 3 4; do
		ends_in_round "$@" -d 2
		status=$?
		[ "$status" = 2 ] || break
	done
	return "$status"
}

start() {	# MODE: sets server
	unset WORK_PID
	coproc WORK { exec "$programs/work" "$1"; }
	work=$WORK_PID
	read -r server <&"${WORK[0]}"
	sleep 1
}

insmod "$module" || exit 1
start stages
pass "the module sets as many probes as are printed" explores kmod
pass "the module finds the function" finds kmod
pass "perf events find the function" finds perf
for source in kmod perf; do
	for signal in INT KILL SEGV; do
		for round in 1 2 3; do
			pass "$source: ended by SIG$signal in round $round" ends "$source" "$round" "$signal"
		done
	done
done
kill "$work" "$server"
start flood
stopped_s=15
for source in kmod perf; do
	pass "$source: a pause while buffers are full" pauses_while_full "$source" -d 25 --rounds 4
done
kill "$work" "$server"
start sleeps
for signal in INT KILL SEGV; do
	pass "probes in the kernel: ended by SIG$signal" kernel_probes $signal
done
kill "$work" "$server"
pass "the module goes away" rmmod scope
[ "$failures" -eq 0 ]
