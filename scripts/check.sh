#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Run tests and count them. A test is a command: exit 0 passed, 77 skipped (its last line says
# why), anything else failed.
#
# Usage: scripts/check.sh [GROUP...]     groups: unit golden docs kernel (default: these),
#                                        guests kunit matrix debug soak bugs fuzz howto
# For matrix KEYS= names some kernels of scripts/kernel.sh (all), ROUNDS= is as for tests/kmod/run.sh, and those of SHARE= share
# the tests: each runs some of them, and together they run all.
# For guests PART=k/N leaves out all tests but the k-th of each N, and counts them as skipped.
# For soak SOAK_S= seconds of sessions at random (3600), SEED= their seed (1), ROUNDS= reloads of each kind, and
# thousands of messages at random (1000; 0: none).
# Tests that a busy host disturbs (they trace live programs, or run in guests) run a second time if they fail, with the host to
# themselves; both runs are reported. They do not if a kernel warned or died.
# CHECK_UNTIL= is the time, in seconds since 1970, after which no test begins: the rest is skipped, and what still runs four
# minutes later is ended and counted as skipped, since nothing is known of it. .ci/run sets it, so that it prints its summary within
# an hour on a slow host too.
# Logs stay in build/check/, for named groups in build/check-GROUP/ of the first. The last line
# reads: N passed, N failed[, N skipped]
set -uo pipefail
cd "$(dirname "$0")/.."

logs=build/check${1:+-$1}
passed=0 failed=0 skipped=0
tries=1	# how often a test may run
passed_second=()	# tests that failed once and then passed
TIMEFORMAT='%U %S'
rm -rf "$logs"
mkdir -p "$logs"

# Seconds until CHECK_UNTIL: below 1 when it has passed.
seconds_left() { echo $((CHECK_UNTIL - $(date +%s))); }

# Runs the command once. Sets status, leaves the log of NAME, and in LOG.cpu the seconds of a CPU that it took.
attempt() {	# NAME COMMAND...
	local log
	local -a limit=()
	log=$(log_of "$1")
	shift
	status=0
	if [ -n "${CHECK_UNTIL:-}" ]; then
		if [ "$(seconds_left)" -lt 1 ]; then
			echo "the time for all tests has passed (CHECK_UNTIL)" > "$log"
			status=77
			return
		fi
		limit=(timeout -k 10 $(($(seconds_left) + 240)))
	fi
	{ time "${limit[@]}" "$@" > "$log" 2>&1 < /dev/null || status=$?; } 2> "$log.cpu"
	if [[ $status -eq 124 || $status -eq 137 ]] && [ -n "${CHECK_UNTIL:-}" ] && [ "$(seconds_left)" -le -240 ]; then
		echo "it was ended four minutes after the time for all tests (CHECK_UNTIL)" >> "$log"
		status=77
	fi
}

# Returns whether a test with this result may run a second time, and keeps its log as LOG.first if so.
may_retry() {	# NAME STATUS TRIES
	local log
	log=$(log_of "$1")
	[ "$3" -gt 1 ] && [ "$2" -ne 0 ] && [ "$2" -ne 77 ] || return
	[ -z "${CHECK_UNTIL:-}" ] || [ "$(seconds_left)" -gt 0 ] || return
	! grep -q '^run.sh: the \(kernel warned\|guest died\)' "$log" || return
	mv "$log" "$log.first"
}

log_of() { echo "$logs/${1//[^a-zA-Z0-9._-]/_}.log"; }	# NAME

# Prints the failures in a log, wherever they are; and its end where there is none, or where what failed says no more.
print_failures() {	# LOG LINES-OF-ITS-END
	local said
	said=$(awk '/^ok / { left = 0 } /^not ok/ { left = 40 } left > 0 { print; left-- }' "$1" | head -n 120)
	[ "$(wc -l <<< "$said")" -gt 5 ] || said+=$'\n'$(tail -n "$2" "$1")
	sed '/^$/d; s/^/        /' <<< "$said"
}

report() {	# NAME STATUS SECONDS
	local log cpu=0
	log=$(log_of "$1")
	[ ! -s "$log.cpu" ] || cpu=$(awk 'END { print int($1 + $2 + 0.5) }' "$log.cpu")
	if [ -e "$log.first" ]; then
		echo "again   $1: it failed at first ($log.first):"
		print_failures "$log.first" 10
		[ "$2" -ne 0 ] || passed_second+=("$1")
	fi
	case $2 in
	0) passed=$((passed + 1)); echo "ok      $1 ($3 s, $cpu s of a CPU)" ;;
	77) skipped=$((skipped + 1)); echo "skipped $1: $(tail -n 1 "$log")" ;;
	*)
		failed=$((failed + 1))
		echo "FAILED  $1 (status $2, $log):"
		print_failures "$log" 25
		;;
	esac
}

run() {	# NAME COMMAND...
	local status start=$SECONDS
	attempt "$@"
	! may_retry "$1" "$status" "$tries" || attempt "$@"
	report "$1" "$status" $((SECONDS - start))
}

# The same beside other tests, JOBS= at a time (default: one for each CPU). finish waits for all, runs those that failed
# a second time with the host to themselves, and reports each in the order in which they began.
started=()	# and their processes
pids=()
declare -A command_of tries_of
start() {	# NAME COMMAND...
	while [ "$(jobs -rp | grep -vcx "$computing")" -ge "${JOBS:-$(nproc)}" ]; do wait -n; done
	started+=("$1")
	command_of[$1]=$(printf '%q ' "${@:2}")
	tries_of[$1]=$tries
	timed_attempt "$@" &
	pids+=($!)
}

timed_attempt() {	# NAME COMMAND...
	local start=$SECONDS
	attempt "$@"
	echo "$status $((SECONDS - start))" > "$(log_of "$1").end"
}

finish() {
	local name status seconds start
	local -a command
	[ ${#pids[@]} -eq 0 ] || wait "${pids[@]}"
	for name in "${started[@]}"; do
		# It was ended from outside, with what ran it.
		read -r status seconds < "$(log_of "$name").end" || status=1 seconds=0
		start=$SECONDS
		if may_retry "$name" "$status" "${tries_of[$name]}"; then
			eval "command=(${command_of[$name]})"
			attempt "$name" "${command[@]}"
		fi
		report "$name" "$status" $((seconds + SECONDS - start))
	done
	started=() pids=()
}

# Tests that only compute: queued by compute, they run in the background from compute_begin to compute_finish, one for each
# CPU. What traces live programs mostly sleeps, and is not disturbed: the kernel runs these only where a CPU has
# nothing else to do (SCHED_IDLE).
queue=()
computing=none	# the process that runs them
compute() {	# NAME COMMAND...
	queue+=("$1")
	command_of[$1]=$(printf '%q ' "${@:2}")
}

compute_begin() {
	[ ${#queue[@]} -gt 0 ] || return
	(
		chrt --idle -p 0 "$BASHPID" 2> "$logs/chrt"
		running=0
		for name in "${queue[@]}"; do
			if [ "$running" -ge "${JOBS:-$(nproc)}" ]; then
				wait -n
				running=$((running - 1))
			fi
			eval "command=(${command_of[$name]})"
			timed_attempt "$name" "${command[@]}" &
			running=$((running + 1))
		done
		wait
	) &
	computing=$!
}

compute_finish() {
	local name status seconds
	[ "$computing" = none ] || wait "$computing"
	for name in "${queue[@]}"; do
		# It was ended from outside, with what ran it.
		read -r status seconds < "$(log_of "$name").end" || status=1 seconds=0
		report "$name" "$status" "$seconds"
	done
}

kernel=${KERNEL:-6.1}
module_of() { echo "build/kmod/$(cat "build/kernels/$1/version")/scope.ko"; }	# KEY

# Not everyday tests, for their length: all commands on names that would harm a terminal, and at many widths of one; names
# of everything that runs, of Java, Node and Go among it; the pages of docs/runtime/; rpm packages; pages in a browser, and pictures of them; the walk, which
# builds everything; servers made from profiles; rounds of exploring; fleets of a hundred hosts, and an engine for more; groups of thousands of
# threads; every command's output under every kind of name, and beside a hostile target.
long=" names_plain report_widths names_live report_html report_pictures walk_live explore_live explore_series_live fleet_replay fleet_clickhouse "
long+="fleet_watch_live profile_live call_groups uneven output_name hostile_live export_diagnosis export_readers bench_programs runtimes_live rpm_root "

# Those that trace on this host and ask for every event have its live programs to themselves: perf events are lost
# where others want a CPU as well. Those that only sleep and look go two at a time.
live='_live\.sh$|/(output_name|perf_agree)\.sh$'
alone='/(units|stuck|waits|model|watch|perf|perf_nohup)_live\.sh$|/perf_(capabilities|no_tracefs)\.sh$'

compute_unit() {
	local test
	for test in tests/fuzz/smoke*.sh tests/unit/*.sh build/san/tests/test_*; do
		[[ ! -x $test || $test == *.d || $test =~ $live || $test =~ $alone ||
			$long == *" $(basename "$test" .sh) "* ]] || compute "$(basename "$test" .sh)" "$test"
	done
	compute abi_layout gcc -Iinclude -Wall -Werror -c tests/abi/layout.c -o "$logs/layout.o"
}

group_unit() {
	local test
	tries=2
	for test in tests/unit/*.sh; do
		[[ ! -x $test || ! $test =~ $live || $test =~ $alone ||
			$long == *" $(basename "$test" .sh) "* ]] || start "$(basename "$test" .sh)" "$test"
	done
	finish
	for test in tests/unit/*.sh; do
		[[ ! -x $test || ! $test =~ $alone ]] || run "$(basename "$test" .sh)" "$test"
	done
	tries=1
}

compute_golden() {
	compute golden tests/golden/run.sh
	compute golden_properties tests/golden/properties.sh
}

build_for_guests() {
	run kmod_programs make -s -C tests/kmod
	run "module_$kernel" scripts/kernel.sh -x "$kernel" scripts/kmod.sh "build/kernels/$kernel/headers"
	run module_includes scripts/check-needs.py
	run module_names scripts/check-needs.py "$(module_of "$kernel")"
}

# What the everyday tests show in guests: the module's own tests; and the main job, on a server with a bug and on a
# healthy one. Each guest keeps one CPU of the host busy: those that take longest begin first.
group_kernel() {
	build_for_guests
	start kmod tests/vm/run.sh -k "$kernel" -t 1200 -- env ROUNDS="${ROUNDS:-2}" \
		tests/kmod/run.sh "$(module_of "$kernel")"
	start demo_lock scripts/demo.sh lock 1 12
	start demo_none scripts/demo.sh none 1 12
	finish
}

# Starts a test of the guests' group where it is in PART=. One that traces live programs of this host comes before the guests.
guests_started=0
start_guest() {	# NAME SCRIPT
	local number parts
	IFS=/ read -r number parts <<< "${PART:-1/1}"
	guests_started=$((guests_started + 1))
	if [ $((guests_started % parts)) -ne $((number % parts)) ]; then
		skipped=$((skipped + 1))
		echo "skipped $1: not in part $PART of the guests' group; all of it: scripts/check.sh guests"
	elif [[ $2 =~ $live ]]; then
		start "$1" nice -n -15 "$2"
	else
		start "$@"
	fi
}

# All others that need a guest, and what takes long without one. Some of these wait most of the time: one more runs than
# there are CPUs.
group_guests() {
	local test JOBS=${JOBS:-$(($(nproc) + 1))}
	build_for_guests
	run programs_sanitized make -s SAN=1 user
	for test in $long; do start_guest "$test" "tests/unit/$test.sh"; done
	start_guest vm_harness tests/vm/selftest.sh
	for test in tests/vm/test_*.sh; do
		[ ! -x "$test" ] || start_guest "$(basename "$test" .sh)" "$test"
	done
	finish
}

# A test build of the module for an own kernel, in a build directory of its own.
variant() {	# NAME KEY SCOPE_…=1
	run "module_$2_$1" env BUILD="$PWD/build/$1" scripts/kmod.sh "build/kernels/$2/headers" "$3"
}

# The path of the module that variant() built.
variant_of() { echo "build/$1/kmod/$(cat "build/kernels/$2/version")/scope.ko"; }	# NAME KEY

# Starts the unit tests inside a kernel, and makes every call fail that may fail. The caller calls finish.
kunit_on() {	# KEY
	run kmod_programs make -s -C tests/kmod
	variant kunit "$1" SCOPE_KUNIT=1
	variant faults "$1" SCOPE_FAULTS=1
	start "faults_$1" tests/vm/run.sh -k "$1" -t 1200 -- env TEST_S=500 tests/kmod/run.sh \
		"$(variant_of faults "$1")" failing_loads failing_calls failing_starts
	start "kunit_$1" tests/vm/run.sh -k "$1" -t 300 -- tests/kmod/kunit.sh "$(variant_of kunit "$1")"
}

group_kunit() {
	run kernel_kunit scripts/own-kernel.sh kunit
	kunit_on kunit
}

# What the kernel finds wrong with itself, while all of the module's tests run: dealt to several boots,
# with as few rounds as show both ways of each.
group_debug() {
	local part
	run kernel_debug scripts/own-kernel.sh debug
	run module_debug scripts/kmod.sh build/kernels/debug/headers
	kunit_on debug
	for part in 1 2 3 4; do
		start "kmod_debug_$part" tests/vm/run.sh -k debug -f -m 1536 -t 1500 -- \
			env TEST_S=600 ROUNDS=2 PART=$part/4 tests/kmod/run.sh "$(module_of debug)"
	done
	start vm_harness_debug tests/vm/selftest_debug.sh
	finish
}

# The same for hours: sessions at random for an hour, reloading and failing by the thousand, and messages
# at random by the million.
group_soak() {
	local seconds=${SOAK_S:-3600} rounds=${ROUNDS:-1000}
	run kernel_debug scripts/own-kernel.sh debug
	run kmod_programs make -s -C tests/kmod
	run module_debug scripts/kmod.sh build/kernels/debug/headers
	run soak tests/vm/run.sh -k debug -c 3 -m 1536 -t $((seconds * 2 + 300)) -- \
		tests/kmod/soak.sh "$(module_of debug)" "$seconds" "${SEED:-1}"
	run fuzz_mutants tests/fuzz/mutants.sh 1000000 100000 "${SEED:-1}"
	[ "$rounds" -gt 0 ] || return
	run soak_hostile env ROUNDS=$((rounds / 20 + 1)) tests/unit/hostile_live.sh
	run soak_rounds tests/vm/run.sh -k debug -f -m 1536 -t $((rounds * 30 + 3600)) -- \
		env ROUNDS="$rounds" ROUNDS_RANDOM=$((rounds * 1000)) EVERY=1 TEST_S=36000 \
		tests/kmod/run.sh "$(module_of debug)" random \
		failing_allocations reload_idle reload_under_load reload_under_stress \
		unload_with_probes probe_churn
}

# The module's tests on every kernel of scripts/kernel.sh, or on those of KEYS=.
group_matrix() {
	local key version part number=0
	local -a sharing
	read -ra sharing <<< "${SHARE:-}"
	run kmod_programs make -s -C tests/kmod
	for key in ${KEYS:-$(scripts/kernel.sh -l)}; do
		run "module_$key" scripts/kernel.sh -x "$key" scripts/kmod.sh \
			"$(scripts/kernel.sh "$key")/headers"
		version=$(cat "build/kernels/$key/version")
		part=
		[[ " ${sharing[*]} " != *" $key "* ]] || part=$((++number))/${#sharing[@]}
		start "kmod_$key" tests/vm/run.sh -k "$key" -t 1200 -- \
			env ${ROUNDS:+"ROUNDS=$ROUNDS"} ${part:+"PART=$part"} \
			tests/kmod/run.sh "build/kmod/$version/scope.ko"
	done
}

# A quarter of the bug bench, once, by perf events on this host: every kind of bug, two healthy servers.
group_bugs() {
	local case cases=(cpu lock io hang nginx-index own-wakeup own-sleep own-backend own-two
		own-busy/twin own-log/twin)
	run bugs_build tests/bugs/build.sh "${cases[@]%/twin}" none-epoll none-pool
	for case in "${cases[@]}"; do
		run "bugs_$case" tests/bugs/answer.sh "$case" 1 "build/bugs-quarter/$case"
	done
}

# Two minutes of damaged input for every reader, with other damage than in the unit group.
compute_fuzz() { compute fuzz tests/fuzz/smoke.sh 9 2; }

# The additions that docs/howto.md lists, made in a copy of the tree, which is then built.
compute_howto() { compute howto tests/howto/check.sh; }

compute_docs() {
	compute docs make --no-print-directory docs
	compute style make --no-print-directory style
}

# Seconds of the CPUs that all commands took which have ended, guests included: on a busy host only these
# can be compared. `times` counts those of the shell that calls it: it cannot be asked in $().
cpu_seconds() { awk -F '[ ms]' 'NR == 2 { print int(60 * ($1 + $4) + $2 + $5) }' "$logs/times"; }

# Tests of these groups go on beside those of the next.
concurrent=" kunit matrix "
groups=("$@")
[ $# -gt 0 ] || groups=(unit golden docs kernel)
defined() { declare -F "$1" > "$logs/defined"; }
for group in "${groups[@]}"; do
	defined "compute_$group" || defined "group_$group" || { echo "check.sh: no group $group" >&2; exit 2; }
	! defined "compute_$group" || "compute_$group"
done
compute_begin
for group in "${groups[@]}"; do
	defined "group_$group" || continue
	start=$SECONDS
	[[ $concurrent == *" $group "* ]] || finish
	case $group in kernel | guests | matrix | bugs) tries=2 ;; *) tries=1 ;; esac
	"group_$group"
	[[ $concurrent == *" $group "* ]] || echo "        $group: $((SECONDS - start)) s"
done
finish
compute_finish
times > "$logs/times"
echo "        in all: $SECONDS s, $(cpu_seconds) s of a CPU"
[ "${#passed_second[@]}" -eq 0 ] || echo "        passed only the second time: ${passed_second[*]}"
summary="$passed passed, $failed failed"
[ "$skipped" -eq 0 ] || summary+=", $skipped skipped"
echo "$summary"
[ "$failed" -eq 0 ]
