#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What Scope and other tracers say about one bug: the output that docs/beside.md shows.
#
# Usage: tests/bugs/beside.sh [TOOL...]      default: scope perf-record perf-trace strace bpftrace lttng coz
# Environment: OUT (build/beside), SECONDS_EACH (10), SCOPE (the program), BUG (own-log)
# Each tool looks at a server that was started for it alone, with the same load. OUT/TOOL.txt has its commands and what
# they print. A tool that is not there, or cannot run here, is named as skipped, with the reason. The packages are those of
# `scripts/setup.sh bench`. Exit status: 0; 1 where a tool that ran printed nothing.
set -uo pipefail
. "$(dirname "$0")/lib.sh"

out=${OUT:-$(dirname "$servers_dir")/beside}
seconds=${SECONDS_EACH:-10}
bug=${BUG:-own-log}
scope=$(realpath "${SCOPE:-$bugs_dir/../../build/user/scope}")
ran=0 skipped=0 failed=0

# begin [PROGRAM]: starts the server, and its load. end: stops both.
begin() {
	eval "$(DURATION=$((seconds * 6 + 60)) PROGRAM=${1:-} "$bugs_dir/start.sh" "$bug" 1)" && sleep 2
}
end() {
	"$bugs_dir/stop.sh" "$SERVER_PID" "$LOAD_PID"
	rm -rf "$WORK_DIR"
}

# show COMMAND: prints the command as it may be typed, then runs it, with its errors.
show() {
	echo "\$ $*"
	(cd "$work" && eval "$*") 2>&1
}

skip() { # WHY: of the tool that runs
	echo "skipped: $*"
	return 77
}
needs() { command -v "$1" > /dev/null || skip "there is no $1 (scripts/setup.sh bench)"; }

run_scope() {
	show "scope report -p \$SERVER_PID -d $seconds --save log.trace"
}

run_perf-record() {
	needs perf || return
	show "perf record -q --call-graph dwarf -p \$SERVER_PID -- sleep $seconds"
	show "perf report --no-children --stdio -g none | grep -v '^#' | grep . | head -n 8"
}

run_perf-trace() {
	needs perf || return
	show "perf trace -s -p \$SERVER_PID -- sleep $seconds" | head -n 40
}

run_strace() {
	needs strace || return
	show "timeout -s INT $seconds strace -c -f -p \$SERVER_PID" | grep -v '^strace: ' | head -n 9
	show "timeout -s INT $seconds strace -c -w -f -p \$SERVER_PID" | grep -v '^strace: ' | head -n 9
}

# The time asleep by stack.
run_bpftrace() {
	needs bpftrace || return
	cat > "$work/asleep.bt" <<-'BT'
	tracepoint:sched:sched_switch
	{
		if (args->prev_state && pid == $1) { @at[tid] = nsecs; @stack[tid] = ustack(5); }
		$t = args->next_pid;
		if (@at[$t]) { @off_ms[@stack[$t]] = sum((nsecs - @at[$t]) / 1000000); delete(@at[$t]); }
	}
	END { clear(@at); clear(@stack); }
	BT
	bpftrace -e 'BEGIN { exit(); }' > "$work/said" 2>&1 || { skip "bpftrace: $(tail -n 1 "$work/said")"; return; }
	show "timeout -s INT $seconds bpftrace asleep.bt \$SERVER_PID > stacks.txt; grep -c ']: ' stacks.txt"
	show "grep -A 3 -E 'poll|lll_lock_wait' stacks.txt | tail -n 12"
	show "grep -A 1 recv stacks.txt | tail -n 2"
}

# The kernel's tracer takes modules (lttng-modules-dkms); what it does without them is to record calls of the thread library
# in a program that was started for it.
run_lttng() {
	local wrapper
	needs lttng && needs babeltrace2 || return
	end
	wrapper=$(find /usr/lib -name 'liblttng-ust-pthread-wrapper.so*' | head -n 1)
	[ -n "$wrapper" ] || { begin; skip "there is no liblttng-ust-pthread-wrapper.so (apt-get install liblttng-ust1)"; return; }
	export LTTNG_HOME=$work
	lttng-sessiond --daemonize > "$work/said" 2>&1
	show "lttng create log -o lttng"
	show "lttng enable-event -k sched_switch"
	show "lttng enable-event -u 'lttng_ust_pthread:*'"
	show "lttng add-context -u -t vtid -t procname"
	begin "env LD_PRELOAD=$wrapper LTTNG_HOME=$work $servers_dir/$bug/$bug_server"
	show "lttng start; sleep $seconds; lttng destroy"
	show "babeltrace2 lttng | wc -l"
	show "babeltrace2 lttng | sed 's/.*lttng_ust_pthread:\([a-z_]*\):.*/\1/' | sort | uniq -c"
	show "babeltrace2 --clock-seconds lttng | grep mutex_lock_acq | head -n 2"
	kill "$(pgrep -f 'lttng-sessiond --daemonize' | head -n 1)" 2> /dev/null
}

# Coz begins the program itself: as its package would build it; with older debug information; with progress points in the source.
run_coz() {
	local program=$work/$bug_server
	needs coz || return
	end
	build() { cc -std=gnu11 -D_GNU_SOURCE -O2 "$@" "${own_flags[@]}" -o "$program" "${own_sources[@]}" -pthread -ldl; }
	coz_begin() { begin "coz run $* -s $bugs_dir/own/% -o $work/profile.coz --- $program"; }
	build -g
	show "timeout 5 coz run --- $program -p 1 2>&1 | sed 's/\x1b\[[0-9;]*m//g' | grep -iE 'unknown|unsupported|error|what' | head -n 2"
	build -gdwarf-3 -DWITH_COZ
	rm -f "$work/profile.coz"
	coz_begin || { skip "coz does not start the server: $(tail -n 1 "$work/said")"; return; }
	sleep $((seconds * 6))
	kill $(cat "/proc/$SERVER_PID/task"/*/children) 2> /dev/null
	sleep 1
	echo "\$ coz run -s … -o profile.coz --- $bug_server      # for $((seconds * 6)) s, with -gdwarf-3 and Coz's macro at each answer"
	show "grep -o '^experiment.selected=[^[:space:]]*' profile.coz | sed 's,.*/,,' | sort | uniq -c | sort -rn"
}

one() { # TOOL
	local status=0
	work=$(mktemp -d)
	bug_row "$bug"
	begin > "$work/began" 2>&1 || { cat "$work/began"; rm -rf "$work"; return 1; }
	ln -s "$scope" "$work/scope"
	PATH=$work:$PATH
	export SERVER_PID
	"run_$1" || status=$?
	end
	rm -rf "$work"
	return "$status"
}

bug_row "$bug"
bug_own || die "$bug is no server of our own"
[ -x "$servers_dir/$bug/$bug_server" ] || die "$bug is not built: run tests/bugs/build.sh $bug"
mkdir -p "$out"
[ $# -gt 0 ] || set -- scope perf-record perf-trace strace bpftrace lttng coz
for tool; do
	declare -F "run_$tool" > /dev/null || die "there is no tool '$tool'"
	(one "$tool") > "$out/$tool.txt" 2>&1
	case $? in
	77) skipped=$((skipped + 1)); echo "skipped $tool: $(sed -n 's/^skipped: //p' "$out/$tool.txt")" ;;
	*)
		if [ "$(grep -vc '^\$' "$out/$tool.txt")" -gt 0 ]; then
			ran=$((ran + 1))
			echo "ran     $tool: $out/$tool.txt"
		else
			failed=$((failed + 1))
			echo "FAILED  $tool printed nothing: $out/$tool.txt"
		fi
		;;
	esac
done
echo "$ran passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
