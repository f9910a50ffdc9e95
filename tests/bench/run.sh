#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Measure what tracing costs and how fast traces are read: lines "name value unit" on stdout.
#
# Usage: tests/bench/run.sh [calls] [pair] [causes] [disks] [processors] [peers] [requests] [causal] [analysis] [metrics] [waits] [edges] [linkage] [readers] [perf] [servers]     all but pair when none is named
# Environment: KERNEL (a row of scripts/kernel.sh, default 6.1), BUILD, EVENTS (of the trace that
# scope-report reads, default 5000000), POINTS (to cluster, default "1000 5000 10000 30000")
# The programs must be built: `make bench` does it all.
#
# ring_write_..._ns: one record into the ring, compiled for user space, natively; ..._of_N_threads: on N
# processors at once, each with a ring of its own.
#
# Costs of the module are guest instructions in an emulator that counts them: the same on every
# machine. They show nothing of cache misses, atomics and interrupts between processors. Speeds of
# the analysis are those of this machine, CPU time that of one processor.
#
#   syscall_pair_added_insns  to one getppid(), enter and exit, between interrupts
#                             (pair: this one and untraced_added_insns alone, for a quick look at another KERNEL)
#   ..._own_insns, ..._all_insns   on average over many: with interrupts and samples; with the
#                             reader (compression and file included) on the same processor, too
#   reader_insns_per_record   of the reader alone, from the start of the program until the last record is in the file;
#                             packing_...: from then to the end of the file, what is not compressed until then included
#   argument_call_added_insns to one close(-1), whose first argument is recorded
#   untraced_added_insns      to a getppid() of a process that is not traced while another one is
#   pingpong_added_insns      to a byte through a pipe to a traced process and back: four calls of
#                             which two block, two wakings, two switches
#   switch_added_insns        to a switch between two traced threads, with no calls recorded
#   sample_timer_insns        of a timer for samples at a period of 250 µs that finds a thread that is not
#                             traced; ..._idle_...: that wakes a processor with nothing to do
#   waking_added_insns        to a waking, of a traced thread by a traced one, with no calls recorded
#   cause_switch_added_insns, cause_waking_added_insns   more to these where the causes of wakings are recorded
#   cause_interrupt_added_insns   more to an interrupt of a timer that wakes a traced thread, which that names
#   futex_wait_added_insns    to a wake and a wait in a futex that blocks; futex_word_...: more where the memory of the
#                             futex is recorded; bytes_per_futex_word
#   peer_call_added_insns     more to a connect where the addresses of connections are recorded; peer_wait_...: more to a wait in
#                             another call there; bytes_per_peer
#   disk_...                  more to a read of 4 KiB of a block device or a flush where these are recorded; tests/bench/disks.sh
#   chain_..., walk_..., copy_..., kprobe_added_insns   to a traced getppid(), by its stack (frame pointers, unwind tables, or
#                             8 KiB copied), by a probe on the kernel's function
#   chain_of_16_..., walk_of_16_..., copy_of_16_added_insns   the same, from the 16th function of a stack
#   uprobe_added_insns        to a call of a function of the program, by a probe on it
#   bytes_per_...             of record, sub-buffer headers included
#   traced_ratio_of_N_processors  times that a getppid() takes with its record, where N processors make
#                             such calls at once. Time on the clock of an emulator, which runs them in
#                             threads of this machine's: to compare with each other, and with nothing else
#   ..._default               stacks and samples as scope-report -p takes them
#   scope_..., perf_..., tracecmd_..., lttng_...   tests/bench/peers.sh, and of requests to servers:
#                             tests/bench/requests.sh
#   delay_..., speedup_..., unvisited_...   tests/bench/causal/cost.sh
#   decode_events_per_s       reading a trace in memory, one thread, merged from 4 CPUs, not compressed
#   signature_KIND_N_calls_per_s  calls in which the episodes of N functions, ten each, are looked for:
#                             contiguous ones, or with gaps; ..._naive_...: by trying each at each call
#   symbols_per_s_cold        addresses of perf's samples that get their names, tables of all files read
#                             in that time; ..._cached: once more; ..._perf_script: what perf script takes
#                             for the same samples, to its lines; tests/bench/symbols.sh
#   file_bytes_per_event      of the trace that server_trace invents, stacks included, compressed. Its
#                             times are random; its stacks are the same few again and again, which
#                             those of a real server are not: `consume TRACE` measures another one,
#                             `columns TRACE` prints which columns take the bytes; ..._without_stacks:
#                             of a file of the other events alone
#   report_peak_kb            of scope-report on that trace; it must stay with EVENTS ten times as many
#   units_per_s               from decoded events in memory, without stacks, to the units that are
#                             kept: learning, clustering and detection included; one processor; of 6
#                             million events, which are a minute at 100,000 events/s; ..._of_20s: of 2
#                             million, where what is learned first and what is kept weigh more
#   unit_events               events of one of those units
#   fetched_events_per_s      the same events, each only looked at: what memory takes of units_per_s
#   distinct_units_seconds    10 million units of 5,000 distinct vectors, given as units: their
#                             distributions, clustering, detection, and the choice of what is kept
#   ..._report_after_end_s    from the end of a trace that was followed while it was written to the
#                             last byte of its report; of 1 and 6 million events, which are 10 and
#                             60 seconds at 100,000 events/s; ..._stream_cpu_share: of one CPU, for
#                             following it at that rate
#   pass_insns_per_event      instructions to read a trace and find its units, by callgrind; metrics_...: what the
#                             metrics of its threads add (scope metrics, and a report with --baseline)
#   waits_...                 of 10 million events with 1,000 groups of threads and 100,000 locks, one wait for a lock in 18
#                             events: CPU time of the pass, of waits, bottlenecks and locks after it, and memory that these
#                             keep, and take at most; waits_usual_...: the same of a usual server's trace
#   edges_...                 of scope explore, for each edge of a usual server's trace of 3 million events: CPU time of its
#                             pass (all), and without reading the trace and finding units (own)
#   host_row_cpu_us           CPU time of a capture, once a second, to read what the host keeps from its target
#   record_cpu_share          of the consumer of scope record at 100,000 events/s: of one CPU, while it records;
#                             packing_...: at the end of the file, for what was not compressed until then;
#                             flight_...: into memory, and with four triggers
#   readers_...               other tools on the same events: CPU time; tests/bench/readers.py
#   linkage_...               of that many points, beside fastcluster and SciPy; tests/bench/linkage.py
#   perf_ways_...             wall clock on this machine: perf events of each CPU, filtered, and of
#                             each thread, beside no tracer; the head of user/perf/events.c
#   server_...                what real servers lose under `scope record --source perf` and under
#                             other tracers, natively, alternating; ..._file_bytes_per_event of what
#                             it wrote of each; tests/bench/servers.sh
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$(cd "${BUILD:-build}" && pwd)
kernel=${KERNEL:-6.1}
bin=$build/user/bench
. tests/bench/modules.sh

# In one guest, all loops under all modes: lines "mode loop name value".
run_calls() {	# SCOPE.KO EMPTY.KO
	# shellcheck disable=SC2016 # expanded in the guest
	tests/vm/run.sh -i -k "$kernel" -t 600 -- bash -euc '
		. tests/bench/tracers.sh
		measure() {
			for loop in $3; do
				"$calls" "$2" "$loop" | sed "s/^/$1 $loop /"
			done
		}
		calls=$1 loops="getppid close pingpong"
		measure none none "$loops yield"
		insmod "$3"
		measure empty none "$loops"
		rmmod empty
		load_scope "$2" "$calls"
		for mode in plain default other; do measure "$mode" "$mode" "$loops"; done
		measure none none "getppid_few function"
		for mode in plain chain walk copy kprobe; do measure "$mode" "$mode" getppid_few; done
		for mode in plain chain walk copy; do measure "$mode" "$mode" getppid_deep; done
		measure uprobe uprobe function
		measure sched sched "pingpong yield"
		for mode in never often; do measure "$mode" "$mode" "spin idle"; done
		rmmod scope
	' bash "$bin/calls" "$1" "$2"
}

# Differences to the loop without a session.
print_calls() {
	awk '
	{ value[$1, $2, $3] = $4 }
	function added(name, mode, loop, what) {
		printf "%s %.0f instructions\n", name,
			value[mode, loop, what] - value["none", loop, what]
	}
	function plain(name, mode, loop, what, unit) {
		printf "%s %s %s\n", name, value[mode, loop, what], unit
	}
	END {
		plain("untraced_insns", "none", "getppid", "floor", "instructions")
		added("empty_probe_added_insns", "empty", "getppid", "floor")
		added("untraced_added_insns", "other", "getppid", "floor")
		split("plain default", modes, " ")
		for (i = 1; i <= 2; i++) {
			suffix = i == 2 ? "_default" : ""
			added("syscall_pair_added_insns" suffix, modes[i], "getppid", "floor")
			added("syscall_pair_added_own_insns" suffix, modes[i], "getppid", "own")
			added("syscall_pair_added_all_insns" suffix, modes[i], "getppid", "all")
			plain("reader_insns_per_record" suffix, modes[i], "getppid", "reader", "instructions")
			plain("packing_insns_per_record" suffix, modes[i], "getppid", "packing", "instructions")
			plain("bytes_per_syscall" suffix, modes[i], "getppid", "bytes", "bytes")
			added("argument_call_added_insns" suffix, modes[i], "close", "floor")
			plain("bytes_per_argument_call" suffix, modes[i], "close", "bytes", "bytes")
			if (value[modes[i], "getppid", "lost"] > 0)
				plain("lost" suffix, modes[i], "getppid", "lost", "events")
		}
		# Beside the same call without a stack or a probe.
		split("chain walk copy kprobe", more, " ")
		for (i = 1; i <= 4; i++) {
			printf "%s_added_insns %.0f instructions\n", more[i],
				value[more[i], "getppid_few", "floor"] - value["plain", "getppid_few", "floor"]
			printf "bytes_per_%s %.0f bytes\n", more[i],
				value[more[i], "getppid_few", "bytes"] - value["plain", "getppid_few", "bytes"]
			if (value[more[i], "getppid_few", "lost"] > 0)
				plain("lost_" more[i], more[i], "getppid_few", "lost", "events")
		}
		# From the 16th function of a stack.
		for (i = 1; i <= 3; i++) {
			printf "%s_of_16_added_insns %.0f instructions\n", more[i],
				value[more[i], "getppid_deep", "own"] - value["plain", "getppid_deep", "own"]
			printf "bytes_per_%s_of_16 %.0f bytes\n", more[i],
				value[more[i], "getppid_deep", "bytes"] - value["plain", "getppid_deep", "bytes"]
		}
		added("uprobe_added_insns", "uprobe", "function", "floor")
		plain("bytes_per_uprobe", "uprobe", "function", "bytes", "bytes")
		plain("pingpong_insns", "none", "pingpong", "floor", "instructions")
		added("empty_probe_pingpong_added_insns", "empty", "pingpong", "floor")
		added("untraced_pingpong_added_insns", "other", "pingpong", "floor")
		for (i = 1; i <= 2; i++) {
			suffix = i == 2 ? "_default" : ""
			added("pingpong_added_insns" suffix, modes[i], "pingpong", "floor")
			plain("bytes_per_pingpong" suffix, modes[i], "pingpong", "bytes", "bytes")
		}
		# Averages: yields do not always switch in a short round, and no reader runs here.
		one = (value["sched", "yield", "all"] - value["none", "yield", "all"]) / 2
		printf "switch_added_insns %.0f instructions\n", one
		printf "bytes_per_switch %.2f bytes\n", value["sched", "yield", "bytes"] / 2
		# 4,000 a second. The first is of the CPU time of a loop that they made longer.
		share = value["often", "spin", "all"] / value["never", "spin", "all"] - 1
		printf "sample_timer_insns %.0f instructions\n", share / (1 + share) * 250000
		printf "sample_timer_idle_insns %.0f instructions\n",
			(value["often", "idle", "busy"] - value["never", "idle", "busy"]) / 4000
		both = value["sched", "pingpong", "all"] - value["none", "pingpong", "all"]
		printf "waking_added_insns %.0f instructions\n", both / 2 - one
	}'
}

bench_calls() {
	local scope empty
	scripts/kernel.sh "$kernel" >/dev/null
	scope=$(scope_module)
	empty=$(empty_module)
	run_calls "$scope" "$empty" | print_calls
}

# Of bench_calls a call that is recorded, and one of a process that is not: in a minute or two instead of ten. What
# the latter takes more is nearly all the kernel's own, which calls the tracepoints.
bench_pair() {
	local scope
	scripts/kernel.sh "$kernel" >/dev/null
	scope=$(scope_module)
	# shellcheck disable=SC2016 # expanded in the guest
	tests/vm/run.sh -i -k "$kernel" -t 600 -- bash -euc '
		. tests/bench/tracers.sh
		"$1" none getppid | sed "s/^/none /"
		load_scope "$2" "$1"
		for mode in other plain; do "$1" "$mode" getppid | sed "s/^/$mode /"; done
		rmmod scope
	' bash "$bin/calls" "$scope" | awk '
		$2 == "floor" { floor[$1] = $3 }
		END {
			if (!floor["none"] || !floor["other"] || !floor["plain"])
				exit 1
			printf "untraced_insns %s instructions\n", floor["none"]
			printf "untraced_added_insns %.0f instructions\n", floor["other"] - floor["none"]
			printf "syscall_pair_added_insns %.0f instructions\n", floor["plain"] - floor["none"]
		}'
}

# What it costs to record why a thread sleeps: the interrupt that woke it, the memory of its futex, the peer of its connection.
bench_causes() {
	local scope
	scripts/kernel.sh "$kernel" >/dev/null
	scope=$(scope_module)
	# shellcheck disable=SC2016 # expanded in the guest
	tests/vm/run.sh -i -k "$kernel" -t 600 -- bash -euc '
		. tests/bench/tracers.sh
		load_scope "$2" "$1"
		for mode in none sched causes; do
			for loop in yield pingpong timer; do
				"$1" "$mode" "$loop" | sed "s/^/$mode $loop /"
			done
		done
		for mode in none blocked words peers; do "$1" "$mode" handover | sed "s/^/$mode handover /"; done
		for mode in blocked peers; do "$1" "$mode" connect | sed "s/^/$mode connect /"; done
		rmmod scope
	' bash "$bin/calls" "$scope" | awk '
		{ value[$1, $2, $3] = $4 }
		function more(mode, than, loop, what) { return value[mode, loop, what] - value[than, loop, what] }
		END {
			if (!value["words", "handover", "all"] || !value["peers", "connect", "floor"])
				exit 1
			one = more("causes", "sched", "yield", "all") / 2
			printf "cause_switch_added_insns %.0f instructions\n", one
			printf "cause_waking_added_insns %.0f instructions\n",
				more("causes", "sched", "pingpong", "all") / 2 - one
			printf "cause_interrupt_added_insns %.0f instructions\n", more("causes", "sched", "timer", "all")
			printf "futex_wait_added_insns %.0f instructions\n", more("blocked", "none", "handover", "all") / 2
			printf "futex_word_added_insns %.0f instructions\n", more("words", "blocked", "handover", "all") / 2
			printf "bytes_per_futex_word %.1f bytes\n", more("words", "blocked", "handover", "bytes") / 2
			printf "peer_call_added_insns %.0f instructions\n", more("peers", "blocked", "connect", "floor")
			printf "peer_wait_added_insns %.0f instructions\n", more("peers", "blocked", "handover", "all") / 2
			printf "bytes_per_peer %.1f bytes\n", more("peers", "blocked", "connect", "bytes")
		}'
}

# The emulator gives each processor a thread of this machine's, so that they really meet in memory.
# Rings hold all that is written between two visits of the reader: dropping would be cheaper.
bench_processors() {
	local scope
	scope=$(scope_module)
	# shellcheck disable=SC2016 # expanded in the guest
	VM_THREAD=multi tests/vm/run.sh -c 4 -m 2048 -k "$kernel" -t 300 -- bash -euc '
		"$1/bench/processors" 1 2 4 | sed "s/^/none /"
		insmod "$2"
		"$1/scope" record --no-stacks --no-samples --max-overhead 0 --subbuf-bytes 1048576 \
			--subbuf-count 64 --compress 0 -o /dev/shm/trace -- "$1/bench/processors" 1 2 4 |
			sed "s/^/traced /"
		rmmod scope
	' bash "$build/user" "$scope" | awk '
	NF == 3 && /^(none|traced) / { ns[$1, $2] = $3; next }
	{ print > "/dev/stderr" }
	END {
		for (n = 1; n <= 4; n *= 2)
			printf "traced_ratio_of_%d_processors %.2f\n", n, ns["traced", n] / ns["none", n]
	}'
}

# Seconds on the clock, in the program, in the kernel; and the most memory, KB.
time_report() {	# REPORT TRACE
	python3 - "$@" "$build/bench/report.txt" <<-'END'
	import resource, subprocess, sys, time
	begin = time.monotonic()
	subprocess.run([sys.argv[1], "-v", "-i", sys.argv[2], "-o", sys.argv[3]], check=True)
	end = time.monotonic()
	own = resource.getrusage(resource.RUSAGE_CHILDREN)
	print("%.2f %.2f %.2f %d" % (end - begin, own.ru_utime, own.ru_stime, own.ru_maxrss))
	END
}

bench_analysis() {
	local program seconds trace=$build/bench/server.trace report=$bin/../scope-report events=${EVENTS:-5000000}
	for program in ring decode unwind signature; do
		[ ! -x "$bin/$program" ] || "$bin/$program"
	done
	tests/bench/symbols.sh "$bin/symbols" || true
	mkdir -p "$build/bench"
	"$bin/server_trace" -n "$events" -s 1 -o "$trace"
	"$bin/consume" "$trace"
	"$bin/server_trace" -n 6000000 -s 1 -o "$trace.units"
	"$bin/units" "$trace.units" 2>/dev/null
	"$bin/server_trace" -n 2000000 -s 1 -o "$trace.units"
	"$bin/units" "$trace.units" 2>/dev/null | sed -n 's/^units_per_s/&_of_20s/p'
	"$bin/units" -d 10000000 2>/dev/null
	rm -f "$trace.units"
	for seconds in 10 60; do
		"$bin/server_trace" -n $((seconds * 100000)) -s 1 -o "$trace.$seconds"
		"$bin/stream" "$trace.$seconds" "of_${seconds}_s_"
		rm -f "$trace.$seconds"
	done
	time_report "$report" "$trace" | awk -v events="$events" '{
		printf "report_seconds %s s\nreport_cpu_seconds %.2f s\n", $1, $2 + $3
		printf "report_events_per_s %.0f events/s\nreport_peak_kb %d KB\n", events / $1, $4
	}'
	rm -f "$trace"
}

# Instructions that a pass takes, with metrics or without (all, none), and its events.
count_pass() {	# TRACE MODE
	local count
	count=$(valgrind --tool=callgrind --callgrind-out-file=/dev/null "$bin/metrics" "$1" "$2" 2>&1)
	awk '/^[0-9]+$/ { events = $1 } /Collected/ { insns = $NF } END { print insns, events }' <<< "$count"
}

# Of two lengths, so that what is done once does not count.
bench_metrics() {
	"$bin/host_row"
	local trace=$build/bench/metrics.trace
	command -v valgrind > /dev/null || { echo "metrics: skipped: install valgrind" >&2; return; }
	mkdir -p "$build/bench"
	for events in 200000 600000; do
		"$bin/server_trace" -n "$events" -s 1 -o "$trace"
		echo "$(count_pass "$trace" none) $(count_pass "$trace" all)"
		rm -f "$trace"
	done | awk '
		{ base[NR] = $1; all[NR] = $3; events[NR] = $2 }
		END {
			n = events[2] - events[1]
			printf "pass_insns_per_event %.0f instructions\n", (base[2] - base[1]) / n
			printf "metrics_insns_per_event %.0f instructions\n", ((all[2] - all[1]) - (base[2] - base[1])) / n
		}'
}

# The tree of waits, bottlenecks and locks of 10 million events: with 1,000 groups and 100,000 locks, and of a usual server.
bench_waits() {
	local trace=$build/bench/waits.trace
	mkdir -p "$build/bench"
	"$bin/locks_trace" 10000000 1000 100000 "$trace"
	"$bin/waits" "$trace"
	"$bin/server_trace" -n 10000000 -s 1 -o "$trace" 2> "$trace.said" || cat "$trace.said"
	"$bin/waits" "$trace" | sed 's/^waits_/waits_usual_/'
	rm -f "$trace" "$trace.said"
}

bench_edges() {
	local trace=$build/bench/edges.trace
	mkdir -p "$build/bench"
	"$bin/server_trace" -n 3000000 -s 1 -o "$trace" 2> "$trace.said" || cat "$trace.said"
	"$bin/edges" "$trace"
	rm -f "$trace" "$trace.said"
}

bench_linkage() {
	# shellcheck disable=SC2086 # several numbers
	/usr/bin/python3 tests/bench/linkage.py "$bin/linkage" ${POINTS:-1000 5000 10000 30000}
}

bench_readers() {
	/usr/bin/python3 tests/bench/readers.py "$build/user"
}

bench_perf() {
	"$bin/perf_ways"
}

[ $# -gt 0 ] || set -- calls causes disks processors peers requests causal analysis metrics waits edges linkage readers perf servers
for part in "$@"; do
	case $part in
	disks | peers | requests | servers) "tests/bench/$part.sh" ;;
	causal) tests/bench/causal/cost.sh ;;
	calls | pair | causes | processors | analysis | metrics | waits | edges | linkage | readers | perf) "bench_$part" ;;
	*) sed -n '/^# Usage/,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0" >&2; exit 2 ;;
	esac
done
