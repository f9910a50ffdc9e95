#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The part of test_report.sh that runs in the guest.
#
# Usage: report_guest.sh SCOPE-REPORT SCOPE_KO OTHER_KO WORK
set -uo pipefail

report=$1 module=$2 other=$3 work=$4
scope=$(dirname "$report")/scope
dir=$(mktemp -d /dev/shm/report.XXXXXX)
. "$(dirname "$0")/guest.bash"
cd "$dir" || exit 1
export TMPDIR=$dir

# Runs the reporter; its exit status must be STATUS, and its words must match PATTERN.
says() {	# STATUS PATTERN ARGUMENT...
	local want=$1 pattern=$2 got=0
	shift 2
	"$report" -v "$@" > stdout 2> stderr < /dev/null || got=$?
	[ "$got" -eq "$want" ] || { echo "exit status $got, expected $want"; return 1; }
	grep -Eq -- "$pattern" stdout stderr || { echo "no '$pattern'"; return 1; }
}

unused() { [ "$(cat /sys/module/scope/refcnt)" -eq 0 ] || { echo "still in use"; return 1; }; }
runs() { "$scope" status | grep -q 'session .* running'; }
until_true() {	# COMMAND...: at most 60 s
	local round
	for round in $(seq 600); do
		! "$@" > /dev/null 2>&1 || return 0
		sleep 0.1
	done
	echo "never true: $* ($round rounds)"
	return 1
}

wrong_module() {
	insmod "$other" 2> stderr && return 1
	"$scope" doctor "$other" > stdout
	grep -q 'MISSING .* is for kernel .*make kmod KDIR=' stdout
}

reports() { says 0 'confidence|NOTHING' -p "$target" -d 2 --save a.trace && unused && [ -s a.trace ]; }
# What was found while the trace came in, against what its file says; reports before the end.
live_reports() {
	local reporter status=0
	"$report" -v -p "$target" -d 1000 --live=1 --save live.trace > stdout 2> stderr &
	reporter=$!
	until_true grep -q '^live · ' stdout || status=1
	kill -INT "$reporter"
	wait "$reporter" && [ "$status" -eq 0 ] || return 1
	awk '/^(HANG|SPIN|SLOWDOWN|NOTHING) .*\(pid /{ text = "" } { text = text $0 "\n" } END { printf "%s", text }' stdout > last
	says 0 . -i live.trace && cmp stdout last && unused
}
reports_again() { says 0 'confidence|NOTHING' -i a.trace && cp stdout again && says 0 . -i a.trace && cmp stdout again; }

ends_early() {
	"$report" -v -p "$target" -d 1000 > stdout 2> stderr &
	local reporter=$! status=0
	until_true runs && sleep 2
	kill -INT "$reporter"
	wait "$reporter" || status=$?
	[ "$status" -eq 0 ] && grep -q 'where the time went' stdout && unused
}

target_ends() {
	"$work" > /dev/null 2>&1 &
	local dying=$! reporter status=0
	"$report" -v -p "$dying" -d 1000 > stdout 2> stderr &
	reporter=$!
	until_true runs && sleep 1
	kill "$dying"
	wait "$reporter" || status=$?
	[ "$status" -eq 1 ] && grep -q 'ended during the capture' stdout stderr &&
		grep -q 'where the time went' stdout && unused
}

nothing_to_see() {
	sleep 600 &
	# Where half a second took a whole one it has another reason: nobody worked.
	says 0 'NOTHING CAN BE SAID.*(rounds of work|No thread did any work)' -p $! -d 0.5
	local status=$?
	kill $!
	return "$status"
}

full_disk() {
	mkdir -p small && mount -t tmpfs -o size=64k none small || return 1
	local status=0
	TMPDIR=$dir/small says 1 'No space left' -p "$target" -d 1000 || status=1
	unused && [ -z "$(ls small)" ] || status=1
	umount small
	return "$status"
}

full_disk_for_report() {
	says 1 'cannot be written' -i a.trace -o /dev/full && [ -c /dev/full ] || return 1
	mkdir -p small && mount -t tmpfs -o size=4k none small && fallocate -l 4k small/fill
	local status=0
	says 1 'cannot be written.*free some room' -i a.trace -o small/report && [ ! -e small/report ] || status=1
	umount small
	return "$status"
}

killed() {
	"$report" -p "$target" -d 1000 > /dev/null 2>&1 &
	local reporter=$!
	until_true runs && sleep 1
	kill -9 "$reporter"
	wait "$reporter" 2>/dev/null
	until_true unused && [ -z "$(find . -name 'scope-*')" ]
}

cut_file() {
	head -c 3000 a.trace > cut.trace
	says 1 'cut off.*record again' -i cut.trace && grep -q '^scope' stdout
}

pass "says how to load the module" says 1 'not loaded.*insmod' -p $$ --source kmod
pass "names the kernel that a module is for" wrong_module
insmod "$module" || exit 1
"$work" > /dev/null 2>&1 &
target=$!
pass "reports on a process and keeps its trace" reports
pass "reports the same from the kept trace, twice" reports_again
pass "shows reports while it traces, and the last as the file has it" live_reports
pass "Ctrl-C ends early and still reports" ends_early
pass "reports on a process that ends, and says so" target_ends
pass "says why there is nothing to say" nothing_to_see
pass "refuses a kernel thread" says 1 'kernel thread' -p 2
pass "refuses a number without a process" says 1 'no process 4000000' -p 4000000
pass "refuses what is no number" says 2 "number or the name of a process" -p 0
pass "refuses a name that no process has" says 1 "no process is named .abc." -p abc
pass "wants to know of what" says 2 'name a process' -d 3
: > empty.trace
pass "refuses an empty file" says 1 'empty' -i empty.trace
pass "refuses a device" says 1 'not a regular file' -i /dev/null
pass "refuses a foreign file" says 1 'not a Scope trace' -i "$report"
pass "refuses a file that is not there" says 1 'nowhere' -i nowhere
pass "reads what a cut file holds, and says so" cut_file
pass "a full disk ends the capture" full_disk
pass "a full disk ends the report" full_disk_for_report
pass "a killed reporter leaves nothing" killed
kill -9 "$target" 2>/dev/null
wait 2>/dev/null
pass "the module goes away" rmmod scope
[ "$failures" -eq 0 ]
