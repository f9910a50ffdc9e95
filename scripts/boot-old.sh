#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Build small kernels from whole trees, old or new, boot them, and run the module's tests there: a probe
# with a wrong prototype compiles, and crashes. Part of scripts/check-old.sh, which shows the table of it.
#
# Usage: scripts/boot-old.sh TREE...     TREE: clean sources, or an O= folder whose `source` is such
# TESTS="NAME..." for some of tests/kmod/run.sh, LIMIT=S for another time limit of theirs (1500). A kernel
# once built from a TREE stays in build/kernels/old-FOLDER, FOLDER being the name of the tree's folder, and is
# taken again; remove it to build again. Building takes 5 to 20 minutes. Several trees may be of one version.
# docs/kernels.md lists which trees were booted, and what some of them needed.
# Logs stay in build/check-old/. A row for each tree: version | compiled | booted | passed | failed | skipped,
# and why. Exit status: 0 all ok; 1 not so; 2 usage.
set -uo pipefail

[ $# -ge 1 ] || { sed -n '/^# Usage/,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0" >&2; exit 2; }
root=$(cd "$(dirname "$0")/.." && pwd)
build=$(mkdir -p "${BUILD:-$root/build}/check-old" && cd "${BUILD:-$root/build}" && pwd)
failed=0
# An empty one, as `make check-old` passes, would be taken for a compiler by the tests' makefile.
[ -n "${CC:-}" ] || unset CC

reasons() {	# LOG
	sed -n 's/^\(ok .*\)\{0,1\}# skipped: //p' "$1" | sort | uniq -c | sort -rn |
		awk '{ n = $1; $1 = ""; printf "%s%s%s", sep, (n > 1 ? n " times" : ""), $0; sep = "; " }'
}

# Prints the row after the version; the parts that take long say so in the log.
boot() {	# SOURCES KEY LOG
	local kernel=$build/kernels/$2 log=$3 module warnings
	: >"$log"
	if [ ! -e "$kernel/version" ] || [ "$(cat "$kernel/tree")" != "$1" ]; then
		"$root/scripts/own-kernel.sh" -s "$1" "$2" >>"$log" 2>&1 ||
			{ echo "- | the kernel does not build ($log)"; return 1; }
	fi
	make -s -C "$root/tests/kmod" >>"$log" 2>&1 || { echo "- | the tests do not build ($log)"; return 1; }
	module=$("$root/scripts/kmod.sh" "$kernel/headers" 2>"$log.build")
	local status=$?
	warnings=$(grep -cE '\.[chS]:[0-9].*(warning|error):' "$log.build")
	cat "$log.build" >>"$log"
	[ $status -eq 0 ] || { echo "no, $warnings warnings and errors ($log) | - "; return 1; }
	# shellcheck disable=SC2086 # several names
	"$root/tests/vm/run.sh" -k "$2" -t "${LIMIT:-1500}" -- "$root/tests/kmod/run.sh" "$module" ${TESTS:-} >>"$log" 2>&1
	status=$?
	echo "yes, $warnings warnings | $(grep -q '^\(not \)\?ok ' "$log" && echo yes || echo no)" \
		"| $(($(grep -c '^ok ' "$log") - $(grep -c '# skipped: ' "$log"))) | $(grep -c '^not ok ' "$log") | $(reasons "$log")"
	[ "$warnings" -eq 0 ] && return $status
}

for tree in "$@"; do
	[ ! -e "$tree/source" ] || tree=$tree/source
	tree=$(cd "$tree" && pwd) && version=$(make -s -C "$tree" kernelversion 2>/dev/null) || version=''
	[ -n "$version" ] || { echo "$tree | no kernel sources"; failed=1; continue; }
	key=old-$(basename "$tree" | tr -c 'A-Za-z0-9.+\n' - | cut -c1-30)
	log=$build/check-old/boot-${key#old-}.log
	row=$(boot "$tree" "$key" "$log") || failed=1
	echo "$version (${key#old-}) | $row"
done
exit $failed
