#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Build small kernels from whole trees, old or new, boot them, and run the module's tests there: a probe
# with a wrong prototype compiles, and crashes.
#
# Usage: scripts/boot-old.sh TREE...     TREE: clean sources, or an O= folder whose `source` is such
# TESTS="NAME..." for some of tests/kmod/run.sh. A kernel once built from a TREE stays in
# build/kernels/old-VERSION and is taken again; remove it to build anew. Building takes 5 to 20 minutes.
# docs/kernels.md tells which trees were booted, and what some of them needed.
# Logs stay in build/check-old/. A line for each tree; exit status: 0 all ok; 1 not so; 2 usage.
set -uo pipefail

[ $# -ge 1 ] || { sed -n '/^# Usage/,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0" >&2; exit 2; }
root=$(cd "$(dirname "$0")/.." && pwd)
build=$(mkdir -p "${BUILD:-$root/build}/check-old" && cd "${BUILD:-$root/build}" && pwd)
failed=0

# Prints what became of it; the parts that take long say so in the log.
boot() {	# SOURCES VERSION LOG
	local kernel=$build/kernels/old-$2 module
	: >"$3"
	[ -e "$kernel/version" ] || "$root/scripts/own-kernel.sh" -s "$1" "old-$2" >>"$3" 2>&1 ||
		{ echo "does not build"; return 1; }
	make -s -C "$root/tests/kmod" >>"$3" 2>&1 || { echo "the tests do not build"; return 1; }
	module=$("$root/scripts/kmod.sh" "$kernel/headers" 2>>"$3") ||
		{ echo "the module does not build"; return 1; }
	# shellcheck disable=SC2086 # several names
	"$root/tests/vm/run.sh" -k "old-$2" -t 1500 -- "$root/tests/kmod/run.sh" "$module" ${TESTS:-} >>"$3" 2>&1
	local status=$?
	echo "$(grep -c '^ok ' "$3") tests passed, $(grep -c '^not ok ' "$3") failed, status $status"
	return $status
}

for tree in "$@"; do
	[ ! -e "$tree/source" ] || tree=$tree/source
	version=$(make -s -C "$tree" kernelversion 2>/dev/null) || version=''
	[ -n "$version" ] || { echo "not ok $tree: no kernel sources"; failed=1; continue; }
	log=$build/check-old/boot-$version.log
	if said=$(boot "$tree" "$version" "$log"); then
		echo "ok $version booted: $said"
	else
		echo "not ok $version: $said ($log)"
		failed=1
	fi
done
exit $failed
