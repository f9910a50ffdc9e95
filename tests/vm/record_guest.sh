#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The part of test_record.sh that runs in the guest.
#
# Usage: record_guest.sh SCOPE SCOPE_KO WORK SMALL      SMALL: perf_work for 32 bits, or -
# shellcheck disable=SC2086 # $bare is a list of words
set -uo pipefail

scope=$1 module=$2 work=$3 small=$4
dir=$(mktemp -d /dev/shm/record.XXXXXX)
chmod 755 "$dir"
. "$(dirname "$0")/guest.bash"
cd "$dir" || exit 1
bare='--no-stacks --no-samples' # printing stacks takes long in an emulated machine

refused() { says 1 "$@"; }
uses() { cat /sys/module/scope/refcnt; }
in_use() { [ "$(uses)" -gt 0 ]; }
runs() { "$scope" status | grep -q 'session .* running'; }
unused() { [ "$(uses)" -eq 0 ] || { echo "still in use: $(uses)"; return 1; }; }
dumped() {
	! grep -Eq -- "$1" "$dir/dump" || return 0
	echo "the dump has no '$1', but:"
	awk '{ print /^[0-9]/ ? $3 : $1 }' "$dir/dump" | sort | uniq -c | sort -nr | head -n 20 | paste -sd ' '
	return 1
}
end_work() { kill -9 "$target" 2>/dev/null; wait "$target" 2>/dev/null; }

# If perf events can be used, a capture still runs, and it prints a hint to the module.
doctor_without_module() {
	"$scope" doctor > "$dir/doctor"
	if grep -q '^ok .*perf events can be used' "$dir/doctor"; then
		says 0 '^hint .*module is not loaded' doctor && says 0 '^ok .*by perf events' doctor
	else
		refused 'MISSING.*module is not loaded' doctor
	fi
}

without_module() {
	refused 'module is not loaded.*insmod' record -p $$ --source kmod && [ ! -e "scope-$$.trace" ] &&
		refused 'module is not loaded' status && doctor_without_module
}

with_module() { says 0 'loaded, version 0\.1' status && says 0 '^ok .*module is loaded' doctor; }

# Long enough for a child of the target to begin and end.
records() {
	local seconds
	for seconds in 2 8 30; do
		says 0 'record_work\[[0-9]+\], .* events, [0-9]+ lost' record -p "$target" -d "$seconds" -o a.trace &&
			[ ! -s "$dir/stderr" ] && [ ! -e a.trace.part ] &&
			"$scope" dump a.trace >"$dir/dump" && unused || return 1
		! grep -Eq '^[0-9]+ [0-9]+ (syscall|exit) [0-9]+ wait4 ' "$dir/dump" || return 0
	done
}

# A stretch of calls without stacks, then stacks of the slowest calls, within the budget: in one session,
# whose calls go on all the time.
chooses_stacks() {
	says 0 ' 0 lost' record -p "$target" -d 12 --stack-budget 10 --no-samples -o s.trace || return 1
	"$scope" dump s.trace >"$dir/dump"
	awk -v min=100000 '
		$1 == "meta" && $2 == "begin_ns" { begin = $3 }
		$1 == "meta" && $2 == "end_ns" { end = $3 }
		$1 == "meta" && $2 == "stack_highest_ns" { highest = $3 }
		$3 == "enter" { split($6, entered, "="); since[$4] = entered[2] }
		$3 == "syscall" || $3 == "exit" {
			split($6, entered, "=")
			took = $1 - ($3 == "syscall" ? entered[2] : since[$4])
			calls[int(($1 - begin) / 1e9)]++
			before += stacks < 12 # calls that were open as it began get one each
			late_calls += $1 > begin + 8e9 && took >= min
		}
		$3 == "stack" { stacks++; late_stacks += $1 > begin + 8e9 }
		END {
			for (second = 0; second < int((end - begin) / 1e9); second++)
				quiet += !calls[second]
			printf "%d calls before the 12th of %d stacks, %d seconds without calls, then " \
				"%d stacks of %d slow calls, at least %d ns\n", before, stacks, quiet,
				late_stacks, late_calls, highest
			exit !(before > 24 && stacks && !quiet && late_stacks &&
			       late_calls > 3 * late_stacks && highest > min)
		}' "$dir/dump"
}

# Calls, arguments and stacks of a 32-bit program: numbers are distinguished, words have four bytes. What
# lies above work() is libc's, whose names of that are in its debug file alone.
records_32_bits() {
	[ "$small" != - ] || { echo "left out: no 32-bit compiler"; return 0; }
	mkfifo "$dir/go"
	"$small" threads 1 2000 <"$dir/go" >/dev/null 2>&1 &
	local sleeper=$! status
	exec 7>"$dir/go"
	echo go >&7
	says 0 'small\[[0-9]+\], .* events, [0-9]+ lost' record -p "$sleeper" -d 5 -o small.trace &&
		"$scope" dump small.trace >"$dir/dump" && dumped ' syscall [0-9]+ 64 .*abi=1' &&
		dumped ' enter [0-9]+ 267 .*args=[0-9a-fx]+,[0-9a-fx]+ abi=1' &&
		"$scope" export folded-off small.trace >"$dir/dump" && dumped ';work;(call;)?.*nanosleep'
	status=$?
	exec 7>&-
	kill -9 "$sleeper"
	wait "$sleeper" 2>/dev/null
	return "$status"
}

# The record command printed how many there were.
all_there() {
	local said found
	said=$(sed -n 's/.* \([0-9,]*\) events, 0 lost.*/\1/p' "$dir/stdout" | tr -d ,)
	found=$(grep -Ec '^[0-9]+ [0-9]+ ' "$dir/dump")
	[ "$said" = "$found" ] || { echo "$said events counted, $found found"; return 1; }
}

# Functions are where they would be if this kernel's code began at 0xffffffff81000000.
all_moved() {
	local text name address want
	text=$(awk '$3 == "_text" { print $1; exit }' /proc/kallsyms)
	read -r name address < <(awk '/^sym 0 .* \[kernel\] / { print $5, $3; exit }' "$dir/dump")
	want=$(awk -v name="$name" '$3 == name { print $1 }' /proc/kallsyms)
	for want in $want; do
		[ $((0x$want - 0x$text + 0xffffffff81000000)) -ne $((address)) ] || return 0
	done
	echo "$name is said to be at $address"
	return 1
}

ends_early() {
	"$scope" record -p "$target" $bare -d 60 -o b.trace >"$dir/stdout" 2>"$dir/stderr" &
	local recorder=$! status=0
	until_true in_use && sleep 2
	kill -INT "$recorder"
	wait "$recorder" || status=$?
	[ "$status" -eq 0 ] && grep -q interrupted "$dir/stdout" && "$scope" dump b.trace >"$dir/dump" &&
		dumped 'end_reason.*interrupt' && unused
}

sees_the_end() {
	"$work" >/dev/null 2>&1 &
	local dying=$! recorder status=0
	"$scope" record -p "$dying" $bare -d 600 -o c.trace >"$dir/stdout" 2>"$dir/stderr" &
	recorder=$!
	until_true runs && sleep 1
	kill "$dying"
	wait "$recorder" || status=$?
	[ "$status" -eq 0 ] && grep -q 'the process ended' "$dir/stdout" &&
		"$scope" dump c.trace >"$dir/dump" && dumped 'end_reason.*target-gone'
}

takes_a_thread() {
	local thread
	thread=$(find "/proc/$target/task" -mindepth 1 -maxdepth 1 -printf '%f\n' | sort -n | tail -1)
	says 0 "is a thread of process $target" record -p "$thread" -d 0.5 -o d.trace
}

two_at_once() {
	"$scope" record -p "$target" $bare -d 3 -o e.trace >/dev/null 2>&1 &
	local other=$!
	says 0 'record_work' record -p "$target" $bare -d 2 -o f.trace && wait "$other" &&
		"$scope" dump e.trace >/dev/null && "$scope" dump f.trace >/dev/null
}

without_root() {
	local status=0
	setpriv --reuid=65534 --regid=65534 --clear-groups "$scope" record -p "$target" -d 1 \
		-o /dev/shm/nobody.trace >"$dir/stdout" 2>"$dir/stderr" || status=$?
	[ "$status" -eq 1 ] && grep -q 'run as root' "$dir/stderr"
}

refuses_zombie() {
	sh -c 'true & exec sleep 600' &
	local parent=$! child status=0
	until_true grep -q . "/proc/$parent/task/$parent/children"
	read -r child <"/proc/$parent/task/$parent/children"
	until_true grep -q 'State:.*Z' "/proc/$child/status"
	refused 'zombie.*nothing left to trace' record -p "$child" || status=1
	kill "$parent"
	return "$status"
}

find_inner() { { grep -Els '^NSpid:.*[[:space:]]30[0-9]{3}$' /proc/[0-9]*/status || true; } | tail -1 | grep .; }

# A number that is free here, and a process in a namespace of its own.
refuses_inner_pid() {
	local inside status=0
	unshare --pid --fork sh -c 'echo 30000 >/proc/sys/kernel/ns_last_pid; sleep 600 & wait' &
	local outside=$!
	until_true find_inner
	inside=$(find_inner)
	local number
	number=$(awk '/^NSpid:/ { print $NF }' "$inside")
	inside=${inside#/proc/} inside=${inside%/status}
	refused "pid $number is not a process here, but is pid $number inside the container of $inside" \
		record -p "$number" || status=1
	kill -9 "$inside" "$outside"
	return "$status"
}

full_disk() {
	# There must be room for more than one write, or nothing of it is kept.
	mkdir -p small && mount -t tmpfs -o size=600k none small || return 1
	local status=0
	refused "No space left.*kept in small" record -p "$target" -d 1000 --compress 0 -o small/a.trace ||
		status=1
	unused && [ -e small/a.trace ] || status=1
	umount small
	return "$status"
}

killed_recorder() {
	"$scope" record -p "$target" -d 60 -o g.trace >/dev/null 2>&1 &
	local recorder=$!
	until_true in_use && sleep 2
	kill -9 "$recorder"
	wait "$recorder" 2>/dev/null
	until_true unused && [ ! -e g.trace ] && rmmod scope && insmod "$module"
}

pass "says how to load the module" without_module
insmod "$module" || exit 1
pass "status and doctor find the module" with_module
"$work" >/dev/null 2>&1 &
target=$!
pass "records a process" records
for call in clock_nanosleep futex read write clone execve wait4; do
	pass "the trace has $call" dumped "^[0-9]+ [0-9]+ (syscall|enter|exit) [0-9]+ $call\\b"
done
for event in switch waking fork exec thread_exit state stack sample; do
	pass "the trace has $event" dumped "^[0-9]+ [0-9]+ $event "
done
pass "the file has as many events as the kernel counted" all_there
pass "the trace has descriptors" dumped '^fd .*pipe'
pass "the trace has the stack of a standing thread" dumped '^standing '
pass "the trace has maps with build-ids" dumped 'record_work.*[0-9a-f]{40}|[0-9a-f]{40}.*record_work'
pass "the trace has maps of a program started during the capture" dumped '/sleep'
pass "the trace says where in the kernel samples hit" dumped ' sample .* kernel_ip=0xffffffff[0-9a-f]{8} .*kernel'
pass "the trace names functions of the kernel" dumped '^sym 0 0xffffffff[0-9a-f]{8} 0x[0-9a-f]+ [a-z_0-9]+ \[kernel\] library'
pass "the trace has no address of the kernel" all_moved
pass "the trace has metadata" dumped 'end_reason.*time'
pass "the stacks of a 32-bit program" records_32_bits
pass "stacks come later, of the slowest calls, within the budget" chooses_stacks
pass "Ctrl-C ends early and keeps the file" ends_early
pass "a thread stands for its process" takes_a_thread
pass "two sessions at once" two_at_once
pass "the end of the target ends the trace" sees_the_end
pass "asks for root" without_root
pass "refuses a kernel thread" refused 'kernel thread kthreadd' record -p 2
pass "refuses a number without a process" refused 'there is no process 4000000' record -p 4000000
pass "refuses a zombie" refuses_zombie
pass "names the pid of a container's process" refuses_inner_pid
pass "refuses a directory that is missing" refused 'nowhere' record -p "$target" -o nowhere/a.trace
pass "a full disk ends the trace" full_disk
pass "a killed recorder leaves nothing" killed_recorder
end_work
pass "the module goes away" rmmod scope
cp a.trace "$VM_OUT/" 2>/dev/null
cp "$dir/dump" "$VM_OUT/" 2>/dev/null
[ "$failures" -eq 0 ]
