#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The part of test_static.sh that runs in the guest.
#
# Usage: static_guest.sh CAPTURE SCOPE SCOPE_KO WORK      CAPTURE: the static program, SCOPE: the whole one
set -uo pipefail

capture=$1 scope=$2 module=$3 work=$4
dir=$(mktemp -d /dev/shm/static.XXXXXX)
bare=$dir/root
failures=0

pass() {	# NAME COMMAND...
	local name=$1
	shift
	if "$@" >"$dir/why" 2>&1; then
		echo "ok $name"
	else
		echo "not ok $name"
		sed 's/^/    /' "$dir/why" | tail -15
		failures=$((failures + 1))
	fi
}

# Only what the kernel itself fills, and the program.
mkdir -p "$bare"/{proc,sys,dev,run}
cp "$capture" "$bare/scope"
for name in proc sys dev; do mount --rbind "/$name" "$bare/$name"; done
alone() { chroot "$bare" /scope "$@"; }

has_no_interpreter() { [ "$(readelf -l "$capture" | grep -c INTERP)" = 0 ] && [ "$(find "$bare" -xdev -type f | wc -l)" = 1 ]; }

doctor_names_the_module() { alone doctor >"$dir/said"; grep 'scope module is not loaded' "$dir/said"; }

# Calls of the process in the trace, as the whole program reads it.
records() {	# SOURCE
	alone record -p "$target" -d 2 --no-stacks --no-samples --source "$1" -o "/$1.trace" || return 1
	"$scope" dump "$bare/$1.trace" >"$dir/dump" || return 1
	[ "$(grep -c futex "$dir/dump")" -gt 0 ] || { tail -3 "$dir/dump"; return 1; }
}

reports() { "$scope" report -i "$bare/kmod.trace" >"$dir/report" && grep -q 'source kmod' "$dir/report"; }

# A session of its own shows beside what is recorded; the number is that of a running capture.
status_sees_a_session() {
	local recorder
	# Not by alone: the signal is for the program, not for a shell around it.
	chroot "$bare" /scope record -p "$target" -d 1000 --source kmod -o /second.trace &
	recorder=$!
	for _ in $(seq 600); do
		alone status >"$dir/status" 2>&1
		grep -q 'session .* running' "$dir/status" && break
		sleep 0.1
	done
	kill -INT "$recorder"
	wait "$recorder"
	cat "$dir/status"
	grep -q 'session .* running' "$dir/status" && grep -q 'events.* 0 lost' "$dir/status"
}

leaves_reports_to_others() {
	local status=0
	alone report -p "$target" 2>"$dir/said" || status=$?
	[ $status = 2 ] && grep 'only captures' "$dir/said"
}

"$work" >/dev/null 2>&1 &
target=$!
pass has_no_interpreter has_no_interpreter
pass doctor_names_the_module doctor_names_the_module
insmod "$module" || exit 1
pass records_by_module records kmod
pass records_by_perf records perf
pass reports reports
pass status_sees_a_session status_sees_a_session
pass leaves_reports_to_others leaves_reports_to_others
kill -9 "$target"
wait "$target" 2>/dev/null
rmmod scope
[ "$failures" -eq 0 ]
