#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The part of test_lockdown.sh that runs in the guest. The lockdown of a kernel can only be increased.
#
# Usage: lockdown_guest.sh SCOPE SCOPE_KO
set -uo pipefail

scope=$1 module=$2
dir=$(mktemp -d /dev/shm/lockdown.XXXXXX)
. "$(dirname "$0")/guest.bash"
cd "$dir" || exit 1
state=/sys/kernel/security/lockdown

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
# A session that is open continues, like an open tracefs file.
ends() {
	kill -INT "$recorder"
	wait "$recorder" || { cat said; return 1; }
	"$scope" dump open.trace >dumped && grep -q '^meta end_reason interrupt' dumped
}
pass "a capture that was on ends as ever" ends
kill "$target"
pass "unsigned modules are refused" unsigned_is_refused
[ "$failures" -eq 0 ]
