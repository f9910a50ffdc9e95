#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The part of test_recorder.sh that runs in the guest.
#
# Usage: recorder_guest.sh SCOPE SCOPE_KO DIRECTORY
# shellcheck disable=SC2086 # $bare is a list of words
set -uo pipefail

scope=$1 module=$2 programs=$3
dir=$(mktemp -d /dev/shm/recorder.XXXXXX)
chmod 755 "$dir"
. "$(dirname "$0")/guest.bash"
cd "$dir" || exit 1
bare='--no-stacks --no-samples' # printing stacks takes long in an emulated machine

in_use() { [ "$(cat /sys/module/scope/refcnt)" -gt 0 ]; }
unused() { ! in_use || { echo "still in use"; return 1; }; }
dumped() {
	! grep -Eq -- "$1" "$dir/dump" || return 0
	echo "the dump has no '$1', but:"
	awk '{ print /^[0-9]/ ? $3 : $1 }' "$dir/dump" | sort | uniq -c | sort -nr | head -n 20 | paste -sd ' '
	return 1
}

# Nothing of it is damaged.
whole() {	# FILE
	"$scope" dump "$1" >"$dir/dump" 2>"$dir/damage" && [ ! -s "$dir/damage" ] ||
		{ echo "$1:"; cat "$dir/damage"; return 1; }
}

# The first call after the exec is the one that every program makes first.
starts_exactly() {
	says 0 'true\[[0-9]+\].*the process ended' record $bare -o start.trace -- /bin/true &&
		whole start.trace && dumped 'meta command true' &&
		awk '$3 == "exec" { found = 1; next } found && /syscall|enter/ && $5 != "execve" { print $5; exit }' \
			dump | grep -qx brk && dumped 'exit_group'
}

reports_status() { says 3 'sh ended with status 3' record $bare -o s.trace -- sh -c 'exit 3'; }
no_such_command() {
	says 1 'nosuch cannot be run: No such file' record -o n.trace -- nosuch && [ ! -e n.trace ] &&
		[ ! -e n.trace.part ] && unused
}
runs_as_invoker() {
	SUDO_UID=65534 SUDO_GID=65534 says 0 '^65534$' record $bare -o u.trace -- id -u
	whole u.trace
}
reports_on_command() { says 4 ' sh \(pid [0-9]+\)' report -- sh -c 'sleep 0.5; exit 4'; }
follows_children() {
	says 0 . record $bare -o f.trace -- sh -c 'sleep 0.1; sleep 0.1' && whole f.trace &&
		[ "$(grep -c ' exec .*comm=sleep' dump)" = 2 ]
}

max_size() {
	says 0 'the file has its size' record -p "$target" -d 1000 --max-size 200k -o m.trace && whole m.trace &&
		dumped 'end_reason size' && [ "$(stat -c %s m.trace)" -lt 1000000 ]
}

# Of the files that are not being written.
three_and_the_first_gone() {
	local now first=${oldest:-}
	now=$(ls r-*.trace) || return 1
	oldest=$(head -n 1 <<<"$now")
	[ "$(wc -l <<<"$now")" -ge 3 ] && [ -n "$first" ] && [ "$oldest" != "$first" ]
}

rotates() {
	local file count=0 one status=0
	"$scope" record -p "$target" -d 1000 --max-size 64k --rotate 3 --compress 0 -o r.trace >stdout 2>stderr &
	one=$!
	until_true three_and_the_first_gone || status=1
	kill -INT "$one"
	wait "$one" && [ "$status" -eq 0 ] && grep -q 'files were written' stdout || return 1
	for file in r-*.trace; do
		whole "$file" && dumped '^meta command record_work' && dumped '^map .*record_work' &&
			dumped '^fd ' && dumped '^meta end_reason' || return 1
		count=$((count + 1))
	done
	[ "$count" = 3 ]
}

uncompressed() {
	says 0 . record -p "$target" -d 1 --compress 0 -o z0.trace && says 0 . record -p "$target" -d 1 -o z1.trace &&
		whole z0.trace && whole z1.trace
}

fly() {	# ARGUMENT...
	"$scope" record --flight=20 "$@" >"$dir/stdout" 2>"$dir/stderr" &
	recorder=$!
	until_true [ -S "/run/scope/record-$recorder.sock" ] && until_true in_use
}
land() {
	kill -TERM "$recorder"
	wait "$recorder"
}

flies() {
	fly -p "$target" -o flight.trace && sleep 3
	"$scope" status >status && grep -q "^recorder  $recorder" status && grep -q 'target    record_work' status &&
		grep -Eq 'own +[0-9.]+ % of a CPU' status && grep -q 'holds     the last' status || { cat status; return 1; }
	[ "$(stat -c %a /run/scope)" = 700 ] || return 1
	says 0 "recorder $recorder: flight-.*written by snapshot" record --snapshot || return 1
	kill -USR1 "$recorder" && until_true grep -q 'written by signal' stderr || return 1
	land && unused && grep -q 'interrupted' stdout && [ ! -e "/run/scope/record-$recorder.sock" ] || return 1
	local file count=0
	for file in flight-*.trace; do
		whole "$file" && dumped '^meta command record_work' && dumped '^thread ' && dumped '^map .*record_work' &&
			dumped '^fd ' && dumped ' state .*at_stop' && dumped 'flight_seconds' || return 1
		count=$((count + 1))
	done
	[ "$count" = 3 ]
}

nobody_to_ask() { says 1 'no flight recorder is running' record --snapshot; }

shoot() {
	kill -9 "$recorder"
	wait "$recorder" 2>/dev/null
	dead=/run/scope/record-$recorder.sock
	[ -S "$dead" ]
}

killed_one_leaves_no_socket() {
	fly -p "$target" -o k.trace && shoot || return 1
	says 1 "no flight recorder is running \\(recorder $recorder was killed.*start one" record --snapshot &&
		[ ! -e "$dead" ] && nobody_to_ask || return 1
	until_true unused && fly -p "$target" -o k.trace && shoot && until_true unused && fly -p "$target" -o k.trace &&
		[ ! -e "$dead" ] && land
}

hang_triggers() {
	"$programs/record_hang" &
	local hanging=$! file
	fly -p "$hanging" --trigger 'hang>2s' -o hang.trace && sleep 4
	[ -z "$(ls hang-*.trace 2>/dev/null)" ] || { echo "triggered before anything hung"; return 1; }
	kill -USR2 "$hanging"
	until_true grep -q 'written by trigger hang>2s: thread [0-9]* in futex' stderr || return 1
	file=$(ls hang-*.trace)
	land
	whole "$file" && dumped 'end_reason trigger hang>2s' && dumped '^meta kernel_stack\..* futex_wait' &&
		says 0 'HANG' report -i "$file"
	local status=$?
	kill -9 "$hanging"
	wait "$hanging" 2>/dev/null
	return "$status"
}

rate_triggers() {
	# It lasts long enough that a host which is busy for a while changes little of its rate.
	"$programs/record_hang" 50 &
	local hanging=$!
	fly -p "$hanging" --trigger 'rate:write<50%' -o rate.trace && sleep 16
	[ -z "$(ls rate-*.trace 2>/dev/null)" ] || { echo "triggered before anything fell"; return 1; }
	kill -USR2 "$hanging"
	until_true grep -q 'written by trigger rate:write<50%: [0-9]* in 3 s' stderr
	local status=$?
	land
	kill -9 "$hanging"
	wait "$hanging" 2>/dev/null
	return "$status"
}

full_disk() {
	mkdir -p small && mount -t tmpfs -o size=600k none small || return 1
	local status=0
	says 1 'small/a.trace: No space left.*B of the trace were kept in small/a.trace' record -p "$target" -d 1000 \
		--compress 0 -o small/a.trace && whole small/a.trace && dumped 'end_reason disk-full' || status=1
	unused && [ ! -e small/a.trace.part ] || status=1
	umount small
	return "$status"
}

full_disk_in_flight() {
	mkdir -p small && mount -t tmpfs -o size=16k none small || return 1
	local status=0
	fly -p "$target" --compress 0 -o small/f.trace && sleep 2
	says 0 'No space left.*recording goes on' record --snapshot && kill -0 "$recorder" || status=1
	mount -o remount,size=50M small
	says 0 'written by snapshot' record --snapshot && whole small/f-*.trace || status=1
	land
	umount small
	return "$status"
}

# At any moment: no file yet, or a whole one.
ctrl_c() {	# SIGNAL
	local round status
	for round in $(seq 8); do
		rm -f c.trace c.trace.part
		# The shell has its background ignore SIGINT, which a terminal's Ctrl-C does not.
		env --default-signal=INT "$scope" record -p "$target" -d 1000 -o c.trace >stdout 2>stderr &
		local one=$!
		until_true grep -qx scope "/proc/$one/comm" || return 1
		sleep "0.$((RANDOM % 10))$((RANDOM % 10))"
		kill "-$1" "$one"
		status=0
		wait "$one" || status=$?
		case $status in
		0) whole c.trace && dumped 'end_reason interrupt' || { echo "round $round"; return 1; } ;;
		13[0-9] | 14[0-9]) # before it listened to signals
			[ ! -e c.trace ] && unused || return 1 ;;
		*) echo "round $round: status $status"; cat stderr; return 1 ;;
		esac
		until_true unused || return 1
	done
}

insmod "$module" || exit 1
"$programs/record_work" >/dev/null 2>&1 &
target=$!
pass "a command is traced from its first call on" starts_exactly
pass "its exit status is reported" reports_status
pass "a command that is not there leaves nothing" no_such_command
pass "under sudo it runs as who called" runs_as_invoker
pass "its children are followed" follows_children
pass "a report starts a command, too" reports_on_command
pass "a size ends the file" max_size
pass "files in turn, each of them whole" rotates
pass "with and without compression" uncompressed
pass "a flight recorder writes on request, on a signal and at its end" flies
pass "nobody to ask for a snapshot" nobody_to_ask
pass "a killed one leaves no socket" killed_one_leaves_no_socket
pass "a hang has the file written" hang_triggers
pass "a rate that falls has the file written" rate_triggers
pass "a full disk ends the trace and keeps what was written" full_disk
pass "a full disk does not end a flight recorder" full_disk_in_flight
pass "Ctrl-C at any moment" ctrl_c INT
pass "SIGTERM at any moment" ctrl_c TERM
kill -9 "$target" 2>/dev/null
wait 2>/dev/null
pass "the module goes away" rmmod scope
[ "$failures" -eq 0 ]
