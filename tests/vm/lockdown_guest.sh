#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The part of test_lockdown.sh that runs in the guest. A kernel is only ever locked down further.
#
# Usage: lockdown_guest.sh SCOPE SCOPE_KO
set -uo pipefail

scope=$1 module=$2
dir=$(mktemp -d /dev/shm/lockdown.XXXXXX)
cd "$dir" || exit 1
failures=0
state=/sys/kernel/security/lockdown

pass() {	# NAME COMMAND...
	local name=$1 begin=$SECONDS
	shift
	if "$@" >why 2>&1; then
		echo "ok $name ($((SECONDS - begin)) s)"
	else
		echo "not ok $name"
		head -q -n 20 why stdout stderr 2>/dev/null | sed 's/^/    /'
		failures=$((failures + 1))
	fi
}

# Runs scope; its exit status must be STATUS, and its words must match PATTERN.
says() {	# STATUS PATTERN ARGUMENT...
	local want=$1 pattern=$2 got=0
	shift 2
	"$scope" "$@" >stdout 2>stderr </dev/null || got=$?
	[ "$got" -eq "$want" ] || { echo "exit status $got, expected $want"; return 1; }
	grep -Eq -- "$pattern" stdout stderr || { echo "no '$pattern'"; return 1; }
}

until_true() {	# COMMAND...: at most 60 s
	local round
	for round in $(seq 600); do
		! "$@" >/dev/null 2>&1 || return 0
		sleep 0.1
	done
	echo "never true: $* ($round rounds)"
	return 1
}

mountpoint -q /sys/kernel/security || mount -t securityfs none /sys/kernel/security
[ -e "$state" ] || { echo "skipped: this kernel has no lockdown"; exit 77; }
lock() { echo "$1" > "$state" && grep -q "\\[$1\\]" "$state"; }

records() { says 0 '[1-9][0-9]* events' record --source kmod -o "$1.trace" -- /bin/true; }

unsigned_is_refused() {
	rmmod scope && ! insmod "$module" 2>why.insmod
}

insmod "$module" || exit 1
pass "records" records none
pass "locked down for integrity" lock integrity
pass "what is loaded records as before" records integrity
pass "doctor says so" says 0 '^ok .*locked down for integrity' doctor

sleep 1000 &
target=$!
"$scope" record --source kmod -p "$target" -d 1000 -o open.trace >said 2>&1 &
recorder=$!
pass "a capture is on" until_true sh -c "'$scope' status | grep -q running"
pass "locked down for confidentiality" lock confidentiality
pass "no session is opened" says 1 'no permission to open /dev/scope.*locked down for confidentiality' \
	record --source kmod -o no.trace -- /bin/true
pass "nor do perf events serve" says 1 '.' record --source perf -o no.trace -- /bin/true
pass "doctor says so" says 1 '^MISSING .*locked down for confidentiality.*lockdown=confidentiality' doctor
# A session that is open goes on, as an open tracefs file does.
ends() {
	kill -INT "$recorder"
	wait "$recorder" || { cat said; return 1; }
	"$scope" dump open.trace >dumped && grep -q '^meta end_reason interrupt' dumped
}
pass "a capture that was on ends as ever" ends
kill "$target"
pass "unsigned modules are refused" unsigned_is_refused
[ "$failures" -eq 0 ]
