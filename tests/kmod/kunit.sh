#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Load a module that carries the KUnit suites, and read their results from the kernel's log.
#
# Usage: tests/kmod/kunit.sh SCOPE.KO    as root, where CONFIG_KUNIT=m. In the VM:
#   ko=$(BUILD=$PWD/build/kunit scripts/kmod.sh "$(scripts/own-kernel.sh kunit)/headers" SCOPE_KUNIT=1)
#   tests/vm/run.sh -k kunit -- tests/kmod/kunit.sh "$ko"
# Prints ok or not ok per case. Fails where one failed, or fewer ran than were planned.
set -uo pipefail

[ $# -eq 1 ] || { sed -n '/^# Usage/,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0" >&2; exit 2; }
root=$(cd "$(dirname "$0")/../.." && pwd)
suites=$(grep -o '&scope_kunit_[a-z_]*' "$root/kmod/kunit/suites.c" | wc -l)

modprobe kunit || { echo "not ok kunit - the framework does not load: CONFIG_KUNIT=m?"; exit 1; }
echo "scope-kunit: begin" >/dev/kmsg
insmod "$1" || exit 1
rmmod scope
dmesg | sed '1,/scope-kunit: begin/d;s/^\[[^]]*\] //' | awk -v wanted="$suites" '
	/^ *# Subtest: / { suite = $NF; planned = -1; ran = 0; next }
	/^ +1\.\.[0-9]+/ { sub(/^ +1\.\./, ""); planned = $0 + 0; next }
	/^ +(not )?ok [0-9]+/ {
		good = $1 == "ok"
		name = good ? $3 : $4
		sub(/^-$/, good ? $4 : $5, name)
		print (good ? "ok " : "not ok ") suite "." name
		ran++
		bad += !good
		next
	}
	/^(not )?ok [0-9]+/ {
		suites++
		if ($1 != "ok" || ran != planned || !ran) {
			print "not ok " suite " - " ran " of " planned " cases ran"
			bad++
		}
		next
	}
	/^ +# [a-z_]+: / { print "#" $0 }
	END {
		if (suites != wanted) {
			print "not ok suites - " suites + 0 " of " wanted " ran"
			bad++
		}
		exit bad > 0
	}'
