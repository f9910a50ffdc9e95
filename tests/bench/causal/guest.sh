#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The part of tests/bench/causal/run.sh that runs in the guest.
#
# Usage: guest.sh SCOPE SCOPE_KO WORK SOURCE SECONDS SEED PROGRAM...
# Leaves in $VM_OUT, for each program and the seed: PROGRAM.SEED.scope (JSON), PROGRAM.SEED.coz (Coz's
# profile; empty where it measured nothing); and lines in "runs":
#   real PROGRAM SEED VISITS NS VISITS NS    the program by itself; its place really faster by half
#   wall PROGRAM SEED TOOL NS                from the start of a tool to its verdict
set -uo pipefail

scope=$1 module=$2 work=$3 source=$4 seconds=$5 seed=$6
shift 6
cd /dev/shm || exit 1
insmod "$module" || exit 1

site_of() {	# PROGRAM
	case $1 in
	serial) echo f ;;
	stages | processes) echo b ;;
	beside) echo c ;;
	lock) echo d ;;
	futex) echo e ;;
	race) echo a ;;
	chains) echo walk ;;
	*) echo doze ;;
	esac
}

real() {	# PROGRAM
	local result
	result=$("$work" "$1" 50 2) && echo "real $1 $seed $result" >>"$VM_OUT/runs"
}

with_scope() {	# PROGRAM: a sleep is made faster by its call
	local program=$1 target site begin
	site=function:$(site_of "$program")
	[ "$program" = sleep ] && site=syscall:clock_nanosleep
	"$work" "$program" 0 600 >/dev/null &
	target=$!
	sleep 0.3
	begin=$(date +%s%N)
	# Draws of speedups as Coz makes them, 5 for each of --repeats.
	"$scope" delay speedup -p "$target" --site "$site" --progress function:done --seed "$seed" \
		--repeats "$(((seconds + 1) / 3))" --format json -o "$VM_OUT/$program.$seed.scope"
	echo "wall $program $seed scope $(($(date +%s%N) - begin))" >>"$VM_OUT/runs"
	kill "$target"
	wait "$target" 2>/dev/null
}

with_coz() {	# PROGRAM
	local program=$1 line begin
	line=$(grep -n "place $(site_of "$program") " "$source" | cut -d: -f1)
	rm -f coz.out
	begin=$(date +%s%N)
	coz run -b MAIN -s % --fixed-line "$source:$line" -o coz.out --- "$work" "$program" 0 "$seconds" \
		>coz.log 2>&1
	echo "wall $program $seed coz $(($(date +%s%N) - begin))" >>"$VM_OUT/runs"
	touch coz.out
	cat coz.out >"$VM_OUT/$program.$seed.coz"
	grep -q '^throughput-point' coz.out || tail -n 3 coz.log
}

for program; do
	# By turns, so that what else the host does hits all alike.
	real "$program"
	with_scope "$program"
	real "$program"
	with_coz "$program"
	real "$program"
	echo "done $program seed $seed"
done
rmmod scope
