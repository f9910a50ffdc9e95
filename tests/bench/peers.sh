#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Measure what other tracers cost beside Scope, in one guest: lines "name value unit" on stdout.
#
# Usage: tests/bench/peers.sh      KERNEL= as for tests/bench/run.sh (6.1)
# perf record, trace-cmd (ftrace) and LTTng take enters and exits of all system calls, switches and
# wakings of the same loop, each as its manual says; one that cannot be had is an error. Debian 12's
# LTTng modules do not compile on its own kernel any more: those of sid are taken.
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
scripts/setup.sh bench
scripts/kernel.sh "$kernel" >/dev/null
cc=$(cat "$build/kernels/$kernel/cc")

# Sources of the newest release that Debian has, compiled for the kernel.
lttng=$build/bench/lttng-$kernel
if [ ! -e "$lttng/built" ]; then
	mkdir -p "$lttng"
	debian_apt "$lttng/apt" "debian:sid"
	debian_unpack "$lttng/apt" "$lttng/root" lttng-modules-dkms
	scripts/kernel.sh -x "$kernel" make -s -j2 -C "$build/kernels/$kernel/headers" \
		M="$(echo "$lttng"/root/usr/src/lttng-modules-*)" CONFIG_LTTNG=m CC="$cc" modules >"$lttng/log" 2>&1 || {
		echo "peers.sh: LTTng's modules do not compile, the end of $lttng/log:" >&2
		tail -n 20 "$lttng/log" >&2
		exit 1
	}
	touch "$lttng/built"
fi

scope=$(scripts/kernel.sh -x "$kernel" scripts/kmod.sh "$build/kernels/$kernel/headers")
tests/vm/run.sh -i -k "$kernel" -m 2048 -t 900 -- tests/bench/peers_guest.sh \
	"$build/user/bench/calls" "$scope" "$(echo "$lttng"/root/usr/src/lttng-modules-*)" |
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
