#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The part of test_static.sh that runs in the guest.
#
# Usage: static_guest.sh STATIC SCOPE SCOPE_KO WORK PLANTED
# STATIC: the program under test, SCOPE: the one with libraries, PLANTED: planted.c, linked against musl
set -uo pipefail

static=$1 scope=$2 module=$3 work=$4 planted=$5
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
		sed 's/^/    /' "$dir/why" | tail -45
		failures=$((failures + 1))
	fi
}

# Only what the kernel itself fills, the program, and a server; no file of any C library.
mkdir -p "$bare"/{proc,sys,dev,run,tmp}
cp "$static" "$bare/scope"
cp "$planted" "$bare/planted"
ln -s scope "$bare/scope-report"
for name in proc sys dev; do mount --rbind "/$name" "$bare/$name"; done
mkdir "$dir/tmp"
mount --bind "$dir/tmp" "$bare/tmp"
alone() { chroot "$bare" /scope "$@"; }

# All that the guest has, and the server where its trace says it was. On 3.x the guest's own root is read-only.
add_server() {
	local entry
	mkdir "$dir/whole"
	for entry in /*; do
		if [ -L "$entry" ]; then
			cp -P "$entry" "$dir/whole$entry"
		elif [ -d "$entry" ]; then
			mkdir "$dir/whole$entry" && mount --rbind "$entry" "$dir/whole$entry"
		fi
	done
	cp "$planted" "$dir/whole/planted"
}

needs_no_file() {
	[ "$(readelf -l "$static" "$planted" | grep -c INTERP)" = 0 ] &&
		[ "$(find "$bare" -xdev -type f | wc -l)" = 2 ]
}

doctor_names_the_module() { alone doctor >"$dir/said"; grep 'scope module is not loaded' "$dir/said"; }

# Calls of the process in the trace, as the whole program reads it.
records() {	# SOURCE
	alone record -p "$target" -d 2 --no-stacks --no-samples --source "$1" -o "/$1.trace" || return 1
	"$scope" dump "$bare/$1.trace" >"$dir/dump" || return 1
	[ "$(grep -c futex "$dir/dump")" -gt 0 ] || { tail -3 "$dir/dump"; return 1; }
}

reports() { "$scope" report -v -i "$bare/kmod.trace" >"$dir/report" && grep -q 'source kmod' "$dir/report"; }

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

# The main job: a server that has only that root, named by a program that has nothing else.
names_a_planted_bug() {
	local status=0 client
	chroot "$bare" /planted >"$dir/server" &
	client=$!
	sleep 1
	chroot "$bare" /scope-report -v -p "$(cat "$dir/server")" -d 12 --source kmod --save /tmp/bug.trace >"$dir/report" || status=1
	kill "$client"
	wait "$client" 2>/dev/null
	cat "$dir/report"
	[ "$status" = 0 ] && grep -q '^  1  checksum_twice ' "$dir/report"
}

# Reports, exports and databases need libraries, which are inside. The report is that of the other program.
reads_traces() {
	add_server || return 1
	alone report -v -i /tmp/bug.trace >"$dir/by_static" || return 1
	chroot "$dir/whole" "$scope" report -v -i "$dir/tmp/bug.trace" >"$dir/by_whole"
	# Except the advice on what to do next, which names the file.
	diff <(grep -v bug.trace "$dir/by_static") <(grep -v bug.trace "$dir/by_whole") || return 1
	alone export sqlite /tmp/bug.trace -o /tmp/bug.sqlite && alone report -i /tmp/bug.trace --format json >/dev/null &&
		alone export folded /tmp/bug.trace | grep -q checksum_twice
}

says_what_it_lacks() {
	! alone import /tmp -p 1 -o /tmp/none.trace 2>"$dir/said" && grep 'static one, which reads no CTF' "$dir/said" &&
		! DEBUGINFOD_URLS=http://localhost alone report -i /tmp/bug.trace --debuginfod 2>"$dir/said" &&
		grep 'static one, which loads no library' "$dir/said"
}

"$work" >/dev/null 2>&1 &
target=$!
pass needs_no_file needs_no_file
pass doctor_names_the_module doctor_names_the_module
insmod "$module" || exit 1
pass records_by_module records kmod
if grep -q 'Linux 4.3 or newer is needed' <<<"$(alone record -p "$target" -d 1 --source perf -o /tmp/none.trace 2>&1)"; then
	echo "ok records_by_perf # skipped: this kernel's perf events know no clock ids"
else
	pass records_by_perf records perf
fi
pass reports reports
pass status_sees_a_session status_sees_a_session
pass names_a_planted_bug names_a_planted_bug
pass reads_traces reads_traces
pass says_what_it_lacks says_what_it_lacks
kill -9 "$target"
wait "$target" 2>/dev/null
rmmod scope
[ "$failures" -eq 0 ]
