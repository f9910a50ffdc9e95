#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Show that on the debug kernel the VM harness finds faults of a module, and finds none in a good one.
#
# Usage: tests/vm/selftest_debug.sh [-a]      -a: all faults of planted_module.c; without it one for
#                                             each kind of check
# Prints "ok NAME" or "not ok NAME" for each; exits 1 if any failed. Writes below build/ only.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=${BUILD:-$root/build}
kernel=$("$root/scripts/own-kernel.sh" debug)
mkdir -p "$build/vm"
work=$(mktemp -d "$build/vm/selftest.XXXXXX")
work=$(cd "$work" && pwd)
trap 'rm -rf "$work"' EXIT
trap 'exit 143' INT TERM HUP

# fault | kmemleak | what the kernel says
table() {
	cat <<-'ROWS'
	out_of_bounds         | off | BUG: KASAN: slab-out-of-bounds in (touch|out_of_bounds)
	sleep_in_atomic       | off | BUG: scheduling while atomic|sleeping function called from invalid context
	lock_inversion        | off | possible circular locking dependency
	leak                  | on  | kmemleak: [0-9]+ new suspected memory leaks
	ROWS
	[ -z "$all" ] || cat <<-'ROWS'
	out_of_bounds_vmalloc | off | BUG: KASAN: vmalloc-out-of-bounds in (touch|out_of_bounds_vmalloc)
	use_after_free        | off | BUG: KASAN: (slab-)?use-after-free in (touch|use_after_free)
	rcu_outside           | off | suspicious RCU usage
	free_armed_timer      | off | ODEBUG: free active
	ROWS
}

all=''
[ "${1:-}" != -a ] || all=1
cp "$here/planted_module.c" "$work/"
echo 'obj-m := planted_module.o' >"$work/Kbuild"
make -s -C "$kernel/headers" M="$work" CC="$(cat "$kernel/cc")" modules >"$work/build.log" 2>&1 || {
	cat "$work/build.log"
	exit 1
}

failed=0
# Exit status and words of the harness for one boot with these faults.
try() {	# NAME WANTED-STATUS KMEMLEAK PATTERN INSMOD-ARGUMENT
	local got=0
	"$here/run.sh" -k debug -t 600 -a "kmemleak=$3" -- \
		sh -c "insmod $work/planted_module.ko $5 && rmmod planted_module && echo gone" >"$work/said" 2>&1 || got=$?
	if [ "$got" -eq "$2" ] && grep -qE "$4" "$work/said"; then
		echo "ok $1"
	else
		echo "not ok $1 - status $got, expected $2, and '$4'"
		sed 's/^/# /' "$work/said"
		failed=1
	fi
}

while IFS='|' read -r name leaks pattern; do
	name=$(echo $name) leaks=$(echo $leaks)
	try "$name" 70 "$leaks" "${pattern# }" "fault=$name" </dev/null
done < <(table)
try good_module 0 on '^gone' ''
exit $failed
