#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Sessions at random under load, CPUs that come and go, the module reloaded in between.
#
# Usage: tests/kmod/soak.sh SCOPE.KO SECONDS [SEED]    as root, inside the machine that loads it
# Prints a line for each round of 20 s; exits 1 where one failed. GRACE_S= how much longer a round may
# take to come to its end (600): an emulated machine that checks itself is slow, slower still beside others.
set -uo pipefail

[ $# -ge 2 ] || { sed -n '/^# Usage/,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0" >&2; exit 2; }
root=$(cd "$(dirname "$0")/../.." && pwd)
program=${BUILD:-$root/build}/kmod/scopetest
module=$1 until=$((SECONDS + $2)) seed=${3:-1}
RANDOM=$seed

toggle_cpus() {
	local cpus=(/sys/devices/system/cpu/cpu[1-9]*/online) cpu
	while :; do
		cpu=${cpus[RANDOM % ${#cpus[@]}]}
		echo 0 >"$cpu"
		sleep 0.$((RANDOM % 5))
		echo 1 >"$cpu"
		sleep 0.$((RANDOM % 9))
	done
}

unload() {
	local try
	for ((try = 0; try < 100; try++)); do
		rmmod scope 2>/dev/null && return 0
		sleep 0.1
	done
	echo "not ok soak - the module stays, used $(cat /sys/module/scope/refcnt) times"
	return 1
}

stress-ng --quiet --temp-path /dev/shm --fork 1 --switch 1 --pthread 1 --timeout 0 >/dev/null 2>&1 &
stress=$!
toggle_cpus &
toggler=$!
trap 'kill $stress $toggler 2>/dev/null' EXIT
failed=0
while ((SECONDS < until && !failed)); do
	length=$((until - SECONDS < 20 ? until - SECONDS : 20))
	insmod "$module" || { echo "not ok soak - insmod"; exit 1; }
	status=0
	timeout $((length + ${GRACE_S:-600})) "$program" soak "$length" "$seed" || status=$?
	case $status in
	0) echo "ok soak" ;;
	124) echo "not ok soak - seed $seed, not at its end ${GRACE_S:-600} s after the time"; failed=1 ;;
	*) echo "not ok soak - seed $seed, status $status"; failed=1 ;;
	esac
	unload || failed=1
	seed=$((seed + 1))
done
exit $failed
