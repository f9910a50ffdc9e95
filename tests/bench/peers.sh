#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Measure the cost of other tracers and of Scope, in one guest: lines "name value unit" on stdout.
#
# Usage: tests/bench/peers.sh      KERNEL= as for tests/bench/run.sh (6.1)
# perf record, trace-cmd (ftrace) and LTTng take enters and exits of all system calls, switches and
# wakings of the same loop, each as its manual says; one that cannot be had is an error.
#
#   TRACER_getppid_added_insns      to one getppid(), between interrupts
#   TRACER_getppid_all_added_insns  on average, with the tracer's own processes on the same processor
#   TRACER_pingpong_added_insns     as in tests/bench/run.sh
#   TRACER_bytes_per_getppid        of its trace on disk
set -euo pipefail
cd "$(dirname "$0")/../.."
. scripts/debian.sh
build=$(cd "${BUILD:-build}" && pwd)
kernel=${KERNEL:-6.1}
. tests/bench/modules.sh
scripts/setup.sh bench
scripts/kernel.sh "$kernel" >/dev/null
lttng=$(lttng_modules)
scope=$(scope_module)
tests/vm/run.sh -i -k "$kernel" -m 2048 -t 900 -- tests/bench/peers_guest.sh \
	"$build/user/bench/calls" "$scope" "$lttng" |
	awk '
	function added(mode, loop, what, name) {
		if (!((mode, loop, what) in value)) { print "peers.sh: no figure of " mode > "/dev/stderr"; bad = 1; return }
		printf "%s_%s %.0f instructions\n", mode, name, value[mode, loop, what] - value["none", loop, what]
	}
	NF == 4 { value[$1, $2, $3] = $4; seen[$1] = 1; next }
	{ print > "/dev/stderr" }
	END {
		split("scope perf tracecmd lttng", modes, " ")
		for (i = 1; i <= 4; i++) {
			added(modes[i], "getppid", "floor", "getppid_added_insns")
			added(modes[i], "getppid", "all", "getppid_all_added_insns")
			added(modes[i], "pingpong", "floor", "pingpong_added_insns")
			printf "%s_bytes_per_getppid %.1f bytes\n", modes[i], value[modes[i], "getppid", "bytes"]
		}
		exit bad
	}'
