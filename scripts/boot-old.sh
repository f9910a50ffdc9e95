#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Build small kernels from whole trees, old or new, boot them, and run the module's tests there: a probe
# with a wrong prototype compiles, and crashes. Part of scripts/check-old.sh, which shows the table of it.
#
# Usage: scripts/boot-old.sh TREE...     TREE: clean sources, or an O= folder whose `source` is such
# TESTS="NAME..." for some of tests/kmod/run.sh. A kernel once built from a TREE stays in
# build/kernels/old-VERSION and is taken again; remove it to build anew. Building takes 5 to 20 minutes.
# docs/kernels.md tells which trees were booted, and what some of them needed.
# Logs stay in build/check-old/. A row for each tree: version | compiled | booted | passed | failed | skipped,
# and why. Exit status: 0 all ok; 1 not so; 2 usage.
set -uo pipefail

[ $# -ge 1 ] || { sed -n '/^# Usage/,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0" >&2; exit 2; }
root=$(cd "$(dirname "$0")/.." && pwd)
build=$(mkdir -p "${BUILD:-$root/build}/check-old" && cd "${BUILD:-$root/build}" && pwd)
failed=0

reasons() {	# LOG
	sed -n 's/^\(ok .*\)\{0,1\}# skipped: //p' "$1" | sort | uniq -c | sort -rn |
		awk '{ n = $1; $1 = ""; printf "%s%s%s", sep, (n > 1 ? n " times" : ""), $0; sep = "; " }'
}

# Prints the row behind the version; the parts that take long say so in the log.
boot() {	# SOURCES VERSION LOG
	local kernel=$build/kernels/old-$2 module warnings options=()
	: >"$3"
	[ -e "$kernel/version" ] || "$root/scripts/own-kernel.sh" -s "$1" "old-$2" >>"$3" 2>&1 ||
		{ echo "- | the kernel does not build ($3)"; return 1; }
	make -s -C "$root/tests/kmod" >>"$3" 2>&1 || { echo "- | the tests do not build ($3)"; return 1; }
	module=$("$root/scripts/kmod.sh" "$kernel/headers" 2>"$3.build")
	local status=$?
	warnings=$(grep -cE '\.[chS]:[0-9].*(warning|error):' "$3.build")
	cat "$3.build" >>"$3"
	[ $status -eq 0 ] || { echo "no, $warnings warnings and errors ($3) | - "; return 1; }
	# What 3.x has of an overlay does not stand on 9p, and programs do not start there with SMAP.
	case $2 in 3.*) options=(-a 'scope_overlay=off nosmap') ;; esac
	# shellcheck disable=SC2086 # several names
	"$root/tests/vm/run.sh" -k "old-$2" -t 1500 "${options[@]}" -- "$root/tests/kmod/run.sh" "$module" ${TESTS:-} \
		>>"$3" 2>&1
	status=$?
	echo "yes, $warnings warnings | $(grep -q '^\(not \)\?ok ' "$3" && echo yes || echo no)" \
		"| $(($(grep -c '^ok ' "$3") - $(grep -c '# skipped: ' "$3"))) | $(grep -c '^not ok ' "$3") | $(reasons "$3")"
	[ "$warnings" -eq 0 ] && return $status
}

for tree in "$@"; do
	[ ! -e "$tree/source" ] || tree=$tree/source
	version=$(make -s -C "$tree" kernelversion 2>/dev/null) || version=''
	[ -n "$version" ] || { echo "$tree | no kernel sources"; failed=1; continue; }
	log=$build/check-old/boot-$version.log
	row=$(boot "$tree" "$version" "$log") || failed=1
	echo "$version | $row"
done
exit $failed
