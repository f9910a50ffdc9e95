#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Test scope.ko inside the machine that loads it, as root.
#
# Usage: tests/kmod/run.sh SCOPE.KO [TEST...]   all tests when none is named
# Needs build/kmod/scopetest: make -C tests/kmod. In the VM, from the project's folder:
#   tests/vm/run.sh -t 600 -- tests/kmod/run.sh "$(make kmod KDIR=build/kernels/6.1/headers)"
# QEMU 7.2 with several emulated CPUs in threads of their own (tcg,thread=multi) now and then goes on
# executing the breakpoint of a kernel text patch long after it is gone from memory: then all
# processes of the guest hang in it, usually in do_exit. It was seen once in 10 to 150 reloads; with
# thread=single never.
# ROUNDS_RANDOM= messages and ioctls at random (3000; by the million to soak), from SEED= (1).
# ROUNDS= loads and unloads, idle, under tracing and under stress (4), and changes of probes (12);
# PART=K/N: of these tests the Kth and every Nth after it, so that N machines share them.
# TEST_S= seconds for a program (120); EVERY=1 fails every call and allocation, not only a choice of them. Prints ok or not ok per
# test, what it took, and the slowest ones at the end; exits 1 where one failed.
set -uo pipefail

[ $# -ge 1 ] || { sed -n '/^# Usage/,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0" >&2; exit 2; }
root=$(cd "$(dirname "$0")/../.." && pwd)
module=$(realpath "$1")
program=${BUILD:-$root/build}/kmod/scopetest
shift
failed=0

fail() { echo "not ok $1 - $2"; failed=1; }

run_program() {	# NAME
	local output
	if output=$(SCOPE_KO=$module timeout "${TEST_S:-120}" "$program" "$1" 2>&1); then
		echo "ok $1"
	else
		fail "$1" "$(tail -1 <<<"$output")"
	fi
	grep '^# ' <<<"$output"
}

# The file says so by its mode; root without the capability is refused at open.
run_modes() {
	local answer
	[ "$(stat -c %a /dev/scope)" = 600 ] || { fail modes "mode $(stat -c %a /dev/scope), not 600"; return; }
	answer=$(setpriv --bounding-set=-all --inh-caps=-all -- cat /dev/scope 2>&1)
	case $answer in
	*'not permitted'*) echo "ok modes" ;;
	*) fail modes "root without capabilities: $answer" ;;
	esac
}

run_unload_leaves_nothing() {
	rmmod scope || { fail unload_leaves_nothing "rmmod failed"; return; }
	if [ -e /dev/scope ] || grep -q '^scope ' /proc/modules; then
		fail unload_leaves_nothing "/dev/scope or the module is still there"
	else
		echo "ok unload_leaves_nothing"
	fi
	insmod "$module"
}

# With disable=1, at load or later, the module answers and refuses every open.
run_disabled() {
	local answer
	rmmod scope && insmod "$module" disable=1 || { fail disabled "it does not load"; return; }
	answer=$(cat /dev/scope 2>&1)
	case $answer in
	*canceled*) ;;
	*) fail disabled "open: $answer"; return ;;
	esac
	echo N >/sys/module/scope/parameters/disable
	if answer=$(timeout 120 "$program" target_gone 2>&1); then
		echo "ok disabled"
	else
		fail disabled "once enabled: $answer"
	fi
}

# Nothing is missing while the second CPU goes and comes, its timer and its ring included.
run_cpu_hotplug() {
	local online=/sys/devices/system/cpu/cpu1/online toggler name output
	[ -w $online ] || { echo "ok cpu_hotplug # skipped: no second CPU to take away"; return; }
	# With time between: a kernel that checks itself would do nothing else.
	(while :; do echo 0 >$online; sleep 0.3; echo 1 >$online; sleep 0.3; done) &
	toggler=$!
	local err=0
	for name in smoke stack_chain smoke; do
		output=$(timeout "${TEST_S:-120}" "$program" $name 2>&1) || { err=1; break; }
	done
	kill $toggler
	wait $toggler 2>/dev/null
	echo 1 >$online 2>/dev/null
	if [ $err = 0 ]; then echo "ok cpu_hotplug"; else fail cpu_hotplug "$name: $(tail -1 <<<"$output")"; fi
}

# COMMAND... before each round; the module is loaded at the beginning and at the end.
reload() {	# NAME COMMAND...
	local name=$1 round try
	shift
	for ((round = 0; round < ${ROUNDS:-4}; round++)); do
		"$@" "$round"
		for ((try = 0; try < 100; try++)); do
			rmmod scope 2>/dev/null && break
			sleep 0.05
		done
		insmod "$module" || break
	done
	if ((round == ${ROUNDS:-4})); then
		echo "ok $name"
		echo "# $round rounds"
	else
		fail "$name" "round $round"
	fi
}

# Trace what never rests; every other tracer dies in the middle.
trace_and_kill() {	# PID ROUND
	"$program" trace "$1" &
	local tracer=$!
	if (($2 % 2)); then
		sleep 0.0$((RANDOM % 9 + 1))
		kill -9 $tracer 2>/dev/null
	fi
	wait $tracer 2>/dev/null
}

run_reload_idle() { reload reload_idle true; }

run_reload_under_load() {
	"$program" load &
	local load=$!
	reload reload_under_load trace_and_kill "$load"
	kill -9 "$load"
	wait "$load" 2>/dev/null
}

# Forks, threads, switches, signals, memory and system calls beside it; nice, for each round waits for what they
# do, not for their share of an emulated processor.
run_reload_under_stress() {
	command -v stress-ng >/dev/null || {
		fail reload_under_stress "stress-ng is missing: apt-get install stress-ng"
		return
	}
	nice -n 19 stress-ng --quiet --temp-path /dev/shm --fork 1 --switch 1 --pthread 1 --sigsuspend 1 --futex 1 \
		--mmap 1 --mmap-bytes 8m --timeout 0 >/dev/null 2>&1 &
	local stress=$!
	reload reload_under_stress trace_and_kill "$stress"
	kill "$stress"
	wait "$stress" 2>/dev/null
}

# With a module built by SCOPE_FAULTS=1: each call made while it loads fails once, and nothing stays.
run_failing_loads() {
	local number left
	[ -e /sys/module/scope/parameters/fail_at ] ||
		{ echo "ok failing_loads # skipped: the module was not built with SCOPE_FAULTS=1"; return; }
	rmmod scope
	for ((number = 1; number < 100; number++)); do
		if insmod "$module" fail_at=$number 2>/dev/null; then
			left=$(cat /sys/module/scope/parameters/fail_at)
			[ "$left" -gt 0 ] && break
			fail failing_loads "call $number failed and nobody cared"
			return
		fi
		if [ -e /dev/scope ] || [ -e /sys/module/scope ] ||
			grep -q scope /sys/devices/system/cpu/hotplug/states; then
			fail failing_loads "call $number failed, and something stayed"
			insmod "$module"
			return
		fi
	done
	echo 0 >/sys/module/scope/parameters/fail_at
	if ((number > 3)); then
		echo "ok failing_loads"
		echo "# $((number - 1)) calls"
	else
		fail failing_loads "only $((number - 1)) calls"
	fi
}

# A session full of probes or delay rules keeps the module; it dies, and the module goes at once: nothing of
# it may be left in the code, nor any thread inside it.
hold_and_kill() {	# probe|delay PID ROUND
	local tracer
	coproc holding { exec "$program" "$1_hold" "$2"; }
	tracer=$holding_PID
	read -r -t 60 -u "${holding[0]}" _ || echo "# round $3: no $1 was set"
	rmmod scope 2>/dev/null && fail "unload_with_$1s" "the module went while a session was open"
	kill -9 "$tracer" 2>/dev/null
	wait "$tracer" 2>/dev/null
}

run_unload_with_probes() {
	"$program" load &
	local load=$!
	reload unload_with_probes hold_and_kill probe "$load"
	kill -9 "$load"
	wait "$load" 2>/dev/null
}

run_unload_with_delays() {
	"$program" load &
	local load=$!
	reload unload_with_delays hold_and_kill delay "$load"
	kill -9 "$load"
	wait "$load" 2>/dev/null
}

# What a tool counts of a process's calls beside a delay on their entry, and what the delay counts. The
# tool: TOOL_begin begins to count, once it returns; TOOL_end ends that and leaves what it found in $counted.
perf_begin() {	# FUNCTION PID DIR
	rm -f "$3"/{control,ack}
	mkfifo "$3"/{control,ack}
	perf probe -q -a "coexist=$1" 2>"$3/log" || return
	perf stat -x, -o "$3/counted" -e probe:coexist -p "$2" -D -1 --control "fifo:$3/control,$3/ack" \
		>/dev/null 2>"$3/log" &
	tool=$!
	echo enable >"$3/control"
	read -r -t 60 _ <"$3/ack"
}
perf_end() {	# DIR
	kill -INT "$tool"
	wait "$tool"
	perf probe -q -d coexist
	counted=$(sed -n 's/^\([0-9]*\),.*probe:coexist.*/\1/p' "$1/counted")
}
bpftrace_begin() {	# FUNCTION PID DIR
	bpftrace -e "kprobe:$1 /pid == $2/ { @calls = count(); } interval:ms:200 { printf(\"tick\\n\"); }" \
		>"$3/counted" 2>"$3/log" &
	tool=$!
	for ((try = 0; try < 300; try++)); do
		(($(grep -c tick "$3/counted") > 1)) && return
		[ -e "/proc/$tool" ] || return
		sleep 0.2
	done
	return 1
}
bpftrace_end() {	# DIR
	kill -INT "$tool"
	wait "$tool"
	counted=$(sed -n 's/^@calls: //p' "$1/counted")
}

# WORDS: an answer of scopetest delay_play, or no more than its beginning.
play() {	# LINE WORDS
	local answer
	echo "$1" >&"${playing[1]}"
	read -r -t 60 -u "${playing[0]}" answer
	[[ $answer == "$2"* ]] || { wrong="$1: $answer, not $2"; return 1; }
}

# A tool beside a delay: first, second; it sees all 15 or the last 10 calls, the delay all while it is there.
play_tool() {	# TOOL FUNCTION PID DIR
	counted=nothing
	"$1_begin" "$2" "$3" "$4" || { wrong="it does not begin: $(tail -1 "$4/log")"; return 1; }
	play "calls 5" "" && play delay set && play "calls 5" "5 5 0" && play undelay removed && play "calls 5" ""
	"$1_end" "$4"
	[ "$counted" = 15 ] || wrong=${wrong:-"$counted calls, not 15"}
	play delay set && play "calls 5" "5 5 0" && "$1_begin" "$2" "$3" "$4" && play "calls 5" "10 10 0" &&
		play undelay removed && play "calls 5" ""
	"$1_end" "$4"
	[ "$counted" = 10 ] || wrong=${wrong:-"$counted calls, not 10"}
	[ -z "$wrong" ]
}

run_coexist_tools() {
	local function=__x64_sys_getppid pid dir name tool counted try wrong='' played='' skipped=''
	grep -qw "$function" /proc/kallsyms && grep -qw ftrace_set_filter_ip /proc/kallsyms ||
		{ echo "ok coexist_tools # skipped: this kernel has no ftrace, or calls are not wrapped"; return; }
	mountpoint -q /sys/kernel/tracing || mount -t tracefs tracefs /sys/kernel/tracing
	mountpoint -q /sys/kernel/debug || mount -t debugfs debugfs /sys/kernel/debug
	dir=$(mktemp -d)
	coproc playing { exec "$program" delay_play; }
	read -r -t 60 -u "${playing[0]}" pid
	for name in perf bpftrace; do
		command -v $name >/dev/null || { skipped+=" $name"; continue; }
		play_tool $name $function "$pid" "$dir" || { fail coexist_tools "$name: $wrong"; break; }
		played+=" $name"
	done
	kill "$playing_PID"
	wait "$playing_PID" 2>/dev/null
	rm -rf "$dir"
	[ -n "$wrong" ] || echo "ok coexist_tools${skipped:+ # skipped: no$skipped here (scripts/setup.sh bench)}"
	echo "# played:$played"
}

# After rmmod a function that had delays is like any other: a new probe there sees each call.
run_probe_after_unload() {
	local function=__x64_sys_getppid tracing=/sys/kernel/tracing hits
	grep -qw $function /proc/kallsyms && ! grep -qw longjmp_break_handler /proc/kallsyms && command -v perl >/dev/null ||
		{ echo "ok probe_after_unload # skipped: no $function whose calls can be held up, or no perl to call it"; return; }
	"$program" coexist_sessions >/dev/null && "$program" coexist_entry >/dev/null && rmmod scope ||
		{ fail probe_after_unload "the delays before it, or rmmod"; return; }
	mountpoint -q $tracing || mount -t tracefs tracefs $tracing
	echo "p:scopetest/after $function" >>$tracing/kprobe_events
	echo 1 >$tracing/events/scopetest/after/enable
	perl -e 'getppid() for 1..7'
	hits=$(awk '$1 == "after" { print $2 }' $tracing/kprobe_profile)
	echo 0 >$tracing/events/scopetest/after/enable
	echo "-:scopetest/after" >>$tracing/kprobe_events
	insmod "$module"
	if [ "$hits" = 7 ]; then echo "ok probe_after_unload"; else fail probe_after_unload "$hits hits, not 7"; fi
}

insmod "$module" || { echo "not ok insmod - $(dmesg | tail -1)"; exit 1; }
tests=("$@")
[ ${#tests[@]} -gt 0 ] ||
	mapfile -t tests < <("$program"; echo modes; echo disabled; echo cpu_hotplug;
		echo unload_leaves_nothing; echo failing_loads; echo reload_idle; echo reload_under_load;
		echo reload_under_stress; echo unload_with_probes; echo unload_with_delays;
		echo coexist_tools; echo probe_after_unload)
if [ -n "${PART:-}" ]; then
	all=${#tests[@]}
	for ((i = 0; i < all; i++)); do
		((i % ${PART#*/} == ${PART%/*} - 1)) || unset "tests[$i]"
	done
fi
took=''
for name in "${tests[@]}"; do
	start=${EPOCHREALTIME/./}
	if declare -F "run_$name" >/dev/null; then "run_$name"; else run_program "$name"; fi
	took+="$(((${EPOCHREALTIME/./} - start) / 100000)) $name"$'\n'
done
sort -rn <<<"$took" | awk 'NF && NR <= 12 { printf "# %5.1f s %s\n", $1 / 10, $2 } { all += $1 } END { printf "# %5.1f s in all\n", all / 10 }'
rmmod scope || fail rmmod "the module stays"
exit $failed
