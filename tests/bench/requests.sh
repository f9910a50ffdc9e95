#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Measure the cost of tracing for a request of redis and of memcached, by Scope and by other tracers: lines
# "name value unit" on stdout.
#
# Usage: tests/bench/requests.sh      KERNEL= as for tests/bench/run.sh (6.1), SERVERS="redis memcached",
#                                     TRACERS="empty scope metrics report perf tracecmd lttng"
# One guest with one processor that counts instructions; Debian's servers, asked for one value at a time
# over one connection. Each tracer but trace-cmd follows the server alone and takes system calls,
# switches and wakings; Scope also what it does by default: stacks after slow calls, and samples.
#
#   SERVER_request_insns            of the server's CPU time, its share of the kernel in it; no tracer;
#                                   of the median batch
#   SERVER_request_all_insns        that passed, on average: with the client, on the same processor
#   TRACER_SERVER_added_insns       to the first: what is done in the server's own time
#   TRACER_SERVER_own_added_insns   the same, on average: with samples and other things that are seldom
#   TRACER_SERVER_all_added_insns   to the second: what the client pays and the tracer's processes take, too
#   TRACER_bytes_per_SERVER_request of its trace on disk
# empty: probes that do nothing; scope: scope record -p; metrics: the same with --memory --interrupts --block, or METRICS= (as
# '--kind-by redis'); report: scope-report -p, which also analyses
# what it captured, as it comes.
set -euo pipefail
cd "$(dirname "$0")/../.."
. scripts/debian.sh
build=$(cd "${BUILD:-build}" && pwd)
kernel=${KERNEL:-6.1}
export SERVERS=${SERVERS:-redis memcached} TRACERS=${TRACERS:-empty scope metrics report perf tracecmd lttng}
. tests/bench/modules.sh
scripts/setup.sh bench
scripts/kernel.sh "$kernel" >/dev/null
lttng=''
[[ " $TRACERS " != *' lttng '* ]] || lttng=$(lttng_modules)
empty=$(empty_module)
scope=$(scope_module)

tests/vm/run.sh -i -k "$kernel" -m 2048 -t 1500 -- env SERVERS="$SERVERS" REQUESTS="${REQUESTS:-6000}" METRICS="${METRICS:-}" \
	TRACERS="$TRACERS" tests/bench/requests_guest.sh \
	"$build/user" "$scope" "$empty" "$lttng" |
	awk '
	NF == 4 && $4 + 0 > 0 { value[$1, $2, $3] = $4; next }
	{ print > "/dev/stderr" }
	function figure(tracer, server, what, name, unit, base) {
		if (!((tracer, server, what) in value)) {
			print "requests.sh: no figure of " tracer " on " server > "/dev/stderr"
			bad = 1
			return
		}
		if (base)
			printf "%s %.0f %s\n", name, value[tracer, server, what] - value["none", server, what], unit
		else
			printf "%s %.*f %s\n", name, what == "bytes", value[tracer, server, what], unit
	}
	END {
		servers = split(ENVIRON["SERVERS"], server, " ")
		tracers = split(ENVIRON["TRACERS"], tracer, " ")
		for (s = 1; s <= servers; s++) {
			name = server[s]
			figure("none", name, "median", name "_request_insns", "instructions", 0)
			figure("none", name, "all", name "_request_all_insns", "instructions", 0)
			for (t = 1; t <= tracers; t++) {
				of = tracer[t]
				figure(of, name, "median", of "_" name "_added_insns", "instructions", 1)
				figure(of, name, "server", of "_" name "_own_added_insns", "instructions", 1)
				figure(of, name, "all", of "_" name "_all_added_insns", "instructions", 1)
				if (of == "scope" || of == "metrics" || of == "perf" || of == "lttng")
					figure(of, name, "bytes", of "_bytes_per_" name "_request", "bytes", 0)
			}
		}
		exit bad
	}'
