#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The part of test_select.sh that runs in the guest.
#
# Usage: select_guest.sh SCOPE SCOPE_KO
set -uo pipefail

scope=$1 module=$2
dir=$(mktemp -d /dev/shm/select.XXXXXX)
cd "$dir" || exit 1
failures=0

insmod "$module" || exit 1
cp "$(command -v sleep)" nap-one
cp "$(command -v sleep)" nap-two
# Each sleeps a little, again and again, so that it makes calls and is switched to. Beside them there is one
# of each name at any moment.
for name in nap-one nap-one nap-one nap-two nap-two nap-two; do
	while :; do "./$name" 0.02; done &
done
loops=$(jobs -p)
for name in nap-one nap-two; do "./$name" 10000 & done
loops_and_naps=$(jobs -p)
cleanup() { kill $loops_and_naps; wait $loops_and_naps 2>/dev/null; }

# Try a second time for longer: a guest may be so slow that no thread wakes up in two seconds.
expect() {	# NAME PATTERN-OF-NAMES-SEEN ARGUMENT...
	local name=$1 want=$2 seen seconds
	shift 2
	for seconds in 2 20; do
		if ! "$scope" record --no-stacks --no-samples -d "$seconds" -o out.trace "$@" >why 2>&1 ||
			! "$scope" dump out.trace >dump 2>>why; then
			echo "not ok $name"
			cat why
			failures=$((failures + 1))
			return
		fi
		seen=$(sed -n 's/.* comm=\([^ ]*\).*/\1/p' dump | sort -u | paste -sd' ')
		calls=$(sed -n 's/^[0-9]* [0-9]* \(syscall\|enter\) [0-9]* \([^ ]*\).*/\2/p' dump | sort -u |
			paste -sd' ')
		[[ ! $seen =~ ^$want$ ]] || break
	done
	if [[ $seen =~ ^$want$ ]]; then
		echo "ok $name"
	else
		echo "not ok $name: saw '$seen', not '$want'"
		failures=$((failures + 1))
	fi
}

refuse() {	# NAME STATUS PATTERN ARGUMENT...
	local name=$1 want=$2 pattern=$3 got=0
	shift 3
	"$scope" record -d 1 -o out.trace "$@" >why 2>&1 || got=$?
	if [ $got = "$want" ] && grep -Eq -- "$pattern" why; then
		echo "ok $name"
	else
		echo "not ok $name: status $got: $(cat why)"
		failures=$((failures + 1))
	fi
}

# The loops may be there by their names beside those: as threads that were woken, or until the program is started.
loop='(bash|select_guest.sh)'
expect comm "($loop )?nap-one( $loop)?" --comm nap-one
expect comm_prefix "($loop )?nap-one nap-two( $loop)?" --comm 'nap-*'
first=${loops%%$'\n'*} second=${loops##*$'\n'}
expect several '.*nap-one.*nap-two.*' -p "$first" -p "$second"
expect thread "$loop" -t "$first" --no-follow
expect syscalls '.*nap-one.*' -p "$first" --syscalls clock_nanosleep,execve
[[ $calls =~ ^(clock_nanosleep|execve|clock_nanosleep execve)$ ]] || {
	echo "not ok syscalls: saw '$calls'"
	failures=$((failures + 1))
}
mkdir group && mount -t cgroup2 none group && mkdir group/some && echo "$second" >group/some/cgroup.procs
expect cgroup '.*nap-two.*' --cgroup "$dir/group/some"
# Its name may be there, as of one that took a CPU from the traced.
grep -v '^meta task' dump | grep -q nap-one && { echo "not ok cgroup: nap-one is in it"; failures=$((failures + 1)); }
refuse no_thread 1 'no process 4000000' -t 4000000
refuse no_name 1 'no thread is named' --comm nobody
refuse no_group 1 'no control group' --cgroup nothing
refuse no_call 2 'no system call nothing' -p "$first" --syscalls nothing
refuse kernel_thread 2 'kernel thread' --comm kthreadd
cleanup
umount group
rmmod scope
[ $failures = 0 ]
