#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The part of test_delay.sh that runs in the guest.
#
# Usage: delay_guest.sh SCOPE SCOPE_KO WORK
set -uo pipefail

scope=$1 module=$2 work=$3
dir=$(mktemp -d /dev/shm/delay.XXXXXX)
cd "$dir" || exit 1
failures=0 target=
short=(--repeats 5 --length 200ms --seed 1)

pass() {	# NAME COMMAND...
	local name=$1
	shift
	if "$@" >"$dir/why" 2>&1; then
		echo "ok $name"
		sed 's/^/    /' "$dir/why"
	else
		echo "not ok $name"
		sed 's/^/    /' "$dir/why" "$dir/stdout" "$dir/stderr" 2>/dev/null | head -60
		failures=$((failures + 1))
	fi
}

# How often threads of the target have slept since they run its program.
sleeps() {
	[ "$(cat "/proc/$target/comm")" != "${work##*/}" ] || cat "/proc/$target/task"/*/status
} 2>/dev/null

# The guest skips time in which it is idle, also where it waits for the host's disk: so wait until it works.
begin() {	# PROGRAM
	"$work" "$1" 600 &
	target=$!
	until [ "$(sleeps | awk '/^voluntary/ { sum += $2 } END { print sum + 0 }')" -ge 100 ]; do
		sleep 0.05
	done
}

finish() { kill -9 "$target" 2>/dev/null; wait "$target" 2>/dev/null; }

# Runs scope delay; its exit status must be STATUS, and its words must match PATTERN.
says() {	# STATUS PATTERN ARGUMENT...
	local want=$1 pattern=$2 got=0
	shift 2
	"$scope" delay "$@" >"$dir/stdout" 2>"$dir/stderr" </dev/null || got=$?
	[ "$got" -eq "$want" ] || { echo "exit status $got, expected $want"; return 1; }
	grep -Eq -- "$pattern" "$dir/stdout" "$dir/stderr" || { echo "no '$pattern'"; return 1; }
}

# Row of the table for SITE: slope within 0.1 of WANT, its interval within 0.15 on both sides, and WORD.
found() {	# SITE WANT WORD
	awk -v site="$1" -v want="$2" -v word="$3" '
		function far(value, by) { return value - want > by || want - value > by }
		$1 == site && NF == 8 {
			seen = 1
			print
			bad = far($2, 0.1) || far($3, 0.15) || far($5, 0.15) || $8 !~ "^" word "$"
			exit
		}
		END { exit !seen || bad }' "$dir/stdout"
}

# By Little's law, in what is printed of SITE: slope within 0.1 of WANT.
latency() {	# SITE WANT
	awk -v site="$1" -v want="$2" '
		$0 == site { told = 1 }
		told && /latency by Little/ {
			seen = 1
			print
			sub(/.*slope /, "")
			bad = $1 - want > 0.1 || want - $1 > 0.1
			exit
		}
		END { exit !seen || bad }' "$dir/stdout"
}

sensitivity() {	# PROGRAM BY ARGUMENT... : of a fresh PROGRAM
	local program=$1 by=$2 status=0
	shift 2
	begin "$program"
	says 0 '--seed 1 repeats' sensitivity -p "$target" --by "$by" "${short[@]}" "$@" || status=1
	finish
	return "$status"
}

pipeline() {
	sensitivity pipeline 0,100us,300us,600us --site function:stage_a --site function:stage_b \
		--site function:housekeeping --progress function:done --svg plot.svg --coz profile.coz &&
		found function:stage_b 1 strong && found function:stage_a 0 none &&
		found function:housekeeping 0 none && grep -q '<circle' plot.svg &&
		says 0 'function:stage_b .delay.' read profile.coz
}

processes() {
	sensitivity processes 0,100us,300us,600us --site function:stage_a --site function:stage_b \
		--progress function:done &&
		found function:stage_b 1 strong && found function:stage_a 0 none
}

convoy() {
	sensitivity convoy 0,100us,300us,600us --site function:inside --site function:outside \
		--progress function:done &&
		found function:inside 1 strong && found function:outside 0 none
}

barrier() {
	sensitivity barrier 0,100us,300us,600us --site function:slow --site function:quick \
		--progress function:done &&
		found function:slow 1 strong && found function:quick 0 none
}

poke() {
	sensitivity poke 0,1ms,2ms --site function:rest --progress function:done &&
		found function:rest -1 contention
}

sync_calls() {
	sensitivity sync 0,100us,300us,600us --site syscall:fdatasync --site return:fdatasync \
		--progress function:done &&
		found syscall:fdatasync 1 strong && found return:fdatasync 1 strong
}

# A delay before the pair begins delays the program, but not the latency of the pair.
before_the_pair() {
	sensitivity sync 0,100us,300us,600us --site syscall:fdatasync \
		--progress begin:syscall:fdatasync,end:function:done &&
		found syscall:fdatasync 1 strong && latency syscall:fdatasync 0
}

# A function that begins the pair is delayed: the delay comes after the mark, so it is part of the latency.
delayed_mark() {
	sensitivity pipeline 0,100us,300us,600us --site function:stage_b \
		--progress begin:function:stage_b,end:function:done &&
		found function:stage_b 1 strong && latency function:stage_b 1
}

kernel_function() {
	sensitivity half 0,100us,300us,600us --site kernel:do_nanosleep \
		--progress begin:function:stage_half,end:function:done &&
		found kernel:do_nanosleep 1 strong && latency kernel:do_nanosleep 1
}

speedup() {	# PROGRAM BY ARGUMENT... : of a fresh PROGRAM
	local program=$1 by=$2 status=0
	shift 2
	begin "$program"
	says 0 'virtual speedup' speedup -p "$target" --by "$by" "${short[@]}" --progress function:done \
		"$@" || status=1
	finish
	return "$status"
}

spinning() {
	speedup spin 0,15%,30%,45% --site function:stage_spin --site function:housekeeping &&
		found function:stage_spin 1 strong && found function:housekeeping 0 unknown
}

half() {
	speedup half 0,30%,60%,90% --site function:stage_half --site syscall:clock_nanosleep &&
		found function:stage_half 0.5 '(strong|moderate)' &&
		found syscall:clock_nanosleep 0.5 '(strong|moderate)'
}

# A device of which the time is known: the kernel's null_blk, with a timer of 4 ms.
disk() {
	modprobe null_blk nr_devices=1 queue_mode=2 irqmode=2 completion_nsec=4000000 && [ -b /dev/nullb0 ] &&
		sensitivity disk 0,0.5ms,1ms,2ms --site syscall:pwrite64 --site function:housekeeping \
			--progress function:done &&
		found syscall:pwrite64 1 strong && found function:housekeeping 0 none &&
		speedup disk 0,30%,60%,90% --site syscall:pwrite64 && found syscall:pwrite64 0.8 strong
}

server() {
	sensitivity server 0,100us,300us,600us --site receive --no-follow &&
		found receive 1 strong && grep -q 'progress: request' stdout &&
		grep -Eq "Little's law: 1\.[0-9] ms undisturbed; slope (0\.9|1\.0)" stdout
}

# audit and rebuild take the same time for requests, but the server only waits for rebuild.
ranked() {
	local status=0
	begin shop
	"$scope" report -v -p "$target" -d 5 --causal 2 --save shop.trace -o shop.report 2>"$dir/stderr" || status=1
	cp shop.report "$dir/stdout"
	measured rebuild strong 1 && measured audit none 0 && grep -q 'progress: request' shop.report || status=1
	says 0 'virtual speedup' speedup -p "$target" --top 2 -i shop.trace --by 0,30% --repeats 5 \
		--length 200ms || status=1
	grep -q 'function:delay_work:rebuild ' stdout && grep -q 'function:delay_work:audit ' stdout || status=1
	finish
	return "$status"
}

# Below the line of FUNCTION in the ranking: WORD, and a slope within 0.1 of WANT.
measured() {	# FUNCTION WORD WANT
	awk -v name="$1" -v word="$2" -v want="$3" '
		$1 ~ /^[0-9]+$/ && $2 == name && NF > 6 { getline; seen = 1; print; exit }
		END { exit !seen || $3 != word "," || $5 - want > 0.1 || want - $5 > 0.1 }' shop.report
}

# Also if there is nothing to count: a report is printed, with the reason why no thread was delayed.
ranked_json() {
	local status=0
	begin shop
	"$scope" report -p "$target" -d 5 --causal 1 --format json >"$dir/stdout" 2>"$dir/stderr" || status=1
	python3 - stdout <<-'END' || status=1
		import json, sys
		findings = json.load(open(sys.argv[1]))["findings"]
		held = {f["function"]["name"]: f["held_up"] for f in findings}
		print({name: one["effect"] for name, one in held.items()})
		assert len(held) == 2 and sum(one["effect"] is None for one in held.values()) == 1
		assert all(0.9 < one["period"]["slope"] < 1.1 for one in held.values() if one["effect"] == "strong")
		assert [one["effect"] for one in held.values() if one["effect"]][0] in ("strong", "none")
	END
	"$scope" report -p "$target" -d 5 --causal 1 --progress function:never >"$dir/stdout" 2>"$dir/stderr" &&
		status=1
	grep -q 'held up on purpose: nobody, .*no file that' stdout && grep -q '^  Where ' stdout || status=1
	finish
	return "$status"
}

# No function is ranked, because all turns are alike. The bottleneck is work(), which sleeps under the lock: of its three
# visits for each turn (inside, outside, housekeeping) one is on the path. As it sleeps, its call is the site.
bottleneck() {
	local status=0
	begin convoy
	"$scope" record -p "$target" -d 3 -o convoy.trace >"$dir/stdout" 2>"$dir/stderr" || status=1
	says 0 '--seed 1 repeats' sensitivity -p "$target" --top 1 -i convoy.trace --by 0,100us,300us,600us "${short[@]}" \
		--progress function:done || status=1
	found "syscall:clock_nanosleep" 0.33 "(strong|moderate)" || status=1
	finish
	return "$status"
}

no_ranking() {
	local status=0
	begin pipeline
	: >empty.trace
	says 1 'empty' speedup -p "$target" --top 2 -i empty.trace || status=1
	says 1 'nowhere' speedup -p "$target" --top 2 -i nowhere || status=1
	says 2 'go together' speedup -p "$target" --top 2 || status=1
	finish
	# Functions of another program.
	sleep 600 &
	target=$!
	says 1 'rebuild is left out.*debug symbols' speedup -p "$target" --top 1 -i shop.trace || status=1
	grep -q 'names no function' stderr || status=1
	finish
	return "$status"
}

# The load changes: the order of experiments keeps the slope correct, and the report mentions the change.
drifting() {
	sensitivity tiring 0,100us,300us,600us --site function:tire --progress function:done &&
		grep -Eq '^  function:tire .* strong$' stdout &&
		grep -q 'without delays the program became [1-9][0-9]* % slower' stdout &&
		grep -q 'it would have changed by' stdout
}

# What speaks against believing it comes with how long, or how much, would have sufficed.
not_enough() {
	local status=0
	begin pipeline
	# Experiments are 10 ms apart at least, as flushes are.
	says 0 'fewer than 5 times and do not count: --length 0\.' sensitivity -p "$target" --by 5ms \
		--site function:stage_b --progress function:done --length 4ms --cool-off 0 --repeats 4 || status=1
	says 0 'met the limit of all threads in a second: .* --max-delay 0\.' sensitivity -p "$target" \
		--site function:stage_b --progress function:done --by 300us --max-delay 20ms "${short[@]}" || status=1
	says 0 'no thread came to the site' sensitivity -p "$target" --site function:inside \
		--progress function:done --by 300us "${short[@]}" || status=1
	# The program sleeps all the time: samples can find nothing, so there is no verdict.
	says 0 'no sample found a thread running there' speedup -p "$target" --function stage_b \
		--progress function:done --by 50% "${short[@]}" || status=1
	grep -Eq '^  function:stage_b .* unknown$' stdout || status=1
	finish
	return "$status"
}

json() {
	sensitivity pipeline 0,300us --site function:stage_b --progress function:done --format json \
		-o result.json && grep -q '"effect": "strong"' result.json && [ ! -s stdout ]
}

# SIGNAL is sent to the run or the target after some time: the results until then are printed.
ends_by() {	# SIGNAL run|target WORDS
	local status=0 runner
	begin pipeline
	"$scope" delay sensitivity -p "$target" --site function:stage_b --progress function:done \
		--by 300us --repeats 1000 --length 100ms >"$dir/stdout" 2>"$dir/stderr" &
	runner=$!
	sleep 4
	if [ "$2" = run ]; then kill -"$1" "$runner"; else kill -"$1" "$target"; fi
	wait "$runner" || status=$?
	finish
	[ "$status" -eq 0 ] && grep -q "$3" "$dir/stdout" && grep -Eq 'stage_b .*strong' "$dir/stdout"
}

interrupted() { ends_by INT run 'experiments planned were made: interrupted'; }
ended() { ends_by ALRM target 'were made: the process ended'; }

# At any moment, while it sets up, counts visits or delays a thread: it ends with the results that it has.
interrupted_early() {
	local runner status moment way
	for moment in 0.01 0.1 0.3 0.6; do
		for way in 'sensitivity --by auto' 'sensitivity --by 900ms' speedup; do
			begin pipeline
			# The shell makes what it starts with & ignore the signal.
			# shellcheck disable=SC2086 # several words
			env --default-signal=INT "$scope" delay $way -p "$target" --site function:stage_b --progress function:done \
				--repeats 1000 --length 100ms >"$dir/stdout" 2>"$dir/stderr" &
			runner=$!
			# Until then it is env, or the shell, which a signal would not end.
			until [ "$(cat "/proc/$runner/comm")" = "${scope##*/}" ]; do sleep 0.01; done
			sleep "$moment"
			kill -INT "$runner"
			status=0
			wait "$runner" || status=$?
			finish
			# Before it begins to listen the signal ends it as any program.
			[ "$status" -eq 130 ] || { [ "$status" -eq 0 ] && grep -q 'made: interrupted' stdout; } ||
				{ echo "$way, after $moment s: exit status $status"; return 1; }
		done
	done
}

target_killed() {
	local runner status=0
	begin pipeline
	"$scope" delay sensitivity -p "$target" --site function:stage_b --progress function:done \
		--by 900ms --repeats 1000 >"$dir/stdout" 2>"$dir/stderr" &
	runner=$!
	sleep 2.2
	finish
	wait "$runner" || status=$?
	[ "$status" -eq 0 ] && grep -q 'were made: the process ended' stdout
}

killed() {
	local runner status
	begin pipeline
	"$scope" delay sensitivity -p "$target" --site function:stage_b --progress function:done \
		--by 900ms --repeats 10 >/dev/null 2>&1 &
	runner=$!
	sleep 1.5
	kill -9 "$runner"
	wait "$runner" 2>/dev/null
	for _ in $(seq 100); do
		status=$(cat /sys/module/scope/refcnt)
		[ "$status" -ne 0 ] || break
		sleep 0.1
	done
	finish
	[ "$status" -eq 0 ] || { echo "still in use: $status"; return 1; }
}

no_progress() {
	begin pipeline
	local status=0
	says 1 'no request was answered.*--progress' sensitivity -p "$target" --site receive \
		--length 4 || status=1
	finish
	return "$status"
}

wrong_names() {
	begin pipeline
	local status=0
	says 1 'has a function no_such_one.*debug symbols' sensitivity -p "$target" \
		--site function:no_such_one || status=1
	says 1 'no_such_call.*no system call' sensitivity -p "$target" --site syscall:no_such_call ||
		status=1
	says 2 'which process, and where in it.*--save FILE' speedup -p "$target" || status=1
	says 2 'named twice' sensitivity -p "$target" --function stage_b --site function:stage_b || status=1
	says 2 'with their units.*2s' sensitivity -p "$target" --site receive --by 2s || status=1
	says 2 "not '0'" sensitivity -p "$target" --site receive --by 0 || status=1
	says 1 'a site is syscall:NAME' sensitivity -p "$target" --site nowhere || status=1
	says 1 'no file nothing.so mapped' sensitivity -p "$target" --site function:nothing.so:f ||
		status=1
	finish
	says 1 'no process' sensitivity -p 4000000 --site receive || status=1
	return "$status"
}

# Not of delays, but the program is here: a probe in a process that was there before its parent was traced.
recorded_probe() {
	begin processes
	"$scope" record -p "$target" -d 1 --no-stacks --no-samples --probe "u:$work:stage_b" -o p.trace \
		>"$dir/stdout" 2>"$dir/stderr"
	finish
	[ "$("$scope" dump p.trace | grep -Ec '^[0-9]+ [0-9]+ probe ')" -gt 100 ]
}

pass "asks for the module" says 1 'only the module can hold threads up.*insmod' sensitivity -p $$ --site receive
# Nor is this: a device that takes 40 ms for each request is the answer; one that takes 4 ms is none.
slow_device() {	# NANOSECONDS WORDS
	local status=0
	modprobe -r null_blk
	modprobe null_blk nr_devices=1 queue_mode=2 irqmode=2 completion_nsec="$1" && [ -b /dev/nullb0 ] || return 1
	"$work" disk 600 &
	target=$!
	until [ "$(sleeps | awk '/^voluntary/ { sum += $2 } END { print sum + 0 }')" -ge 20 ]; do sleep 0.05; done
	"$scope" record -p "$target" -d 4 --block -o disk.trace >"$dir/stdout" 2>"$dir/stderr" || status=1
	"$scope" report -i disk.trace --format json >"$dir/stdout" || status=1
	finish
	rm disk.trace
	python3 - "$dir/stdout" "$2" <<-'END' || status=1
		import json, sys
		document = json.load(open(sys.argv[1]))
		print(document["verdict"], document["causes"], document["reason"])
		slow = [cause for cause in document["causes"] if cause["kind"] == "device"]
		assert len(slow) == (sys.argv[2] == "slow") == (document["verdict"] == "outside")
		assert all("Slow device" in document["reason"] for cause in slow)
		assert all(0.9 < cause["device_ns"] / cause["requests"] / 40e6 < 1.1 for cause in slow)
	END
	return "$status"
}

insmod "$module" || exit 1
pass "pipeline: the slow stage comes through, the others do not" pipeline
pass "two processes have it as well" processes
pass "convoy: under the lock, not outside it" convoy
pass "barrier: who comes last" barrier
pass "a negative slope where a rest gives way" poke
pass "system calls, off the CPU" sync_calls
pass "a pair of marks: a delay before it is none of its latency" before_the_pair
pass "a pair that begins where it is held up: all of it is latency" delayed_mark
pass "a kernel function between two marks, and their latency" kernel_function
pass "a program that waits for its disk" disk
pass "a slow device is named" slow_device 40000000 slow
pass "a device like others is not" slow_device 4000000 usual
pass "requests of a server, and their latency" server
pass "a stage that runs is made faster" spinning
pass "half on the CPU, half off it, each made faster" half
pass "the ranking of a report, measured: on the path, and beside it" ranked
pass "the same as JSON; the report comes where nobody can be held up" ranked_json
pass "a bottleneck, where no function is ranked" bottleneck
pass "says what a trace has no ranking for" no_ranking
pass "a load that changes is reported, and the slope is right" drifting
pass "says what would have sufficed" not_enough
pass "JSON into a file" json
pass "Ctrl-C prints what there is" interrupted
pass "Ctrl-C at any moment" interrupted_early
pass "the target killed while it is held up" target_killed
pass "the end of the process prints what there is" ended
pass "killed with a long delay on, it leaves nothing" killed
pass "says that nothing was counted" no_progress
pass "names that are not there" wrong_names
pass "record has the probes of a child that was there before" recorded_probe
pass "the module goes away" rmmod scope
[ "$failures" -eq 0 ]
