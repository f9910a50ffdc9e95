#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Let non-maskable interrupts hit the module in the middle of its work: QEMU sends them, a kprobe in
# their handler makes an event of each.
#
# Usage: tests/vm/test_nmi.sh [-k KEY]      kernel as for run.sh (6.1)
# Prints "ok NAME" or "not ok NAME"; exits 1 if it failed. Writes below build/ only.
set -euo pipefail

kernel=6.1
while getopts k: option; do
	case $option in
	k) kernel=$OPTARG ;;
	*) sed -n 's/^# \(Usage.*\)/\1/p' "$0" >&2; exit 2 ;;
	esac
done

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
"$root/scripts/setup.sh" build vm
unpacked=$("$root/scripts/kernel.sh" "$kernel")
build=$(cd "${BUILD:-$root/build}" && pwd)
work=$build/vm/nmi-$kernel
mkdir -p "$work"
cp "$here/nmi_module.c" "$work/"
echo 'obj-m := nmi_module.o' >"$work/Kbuild"
in_builder() { "$root/scripts/kernel.sh" -x "$kernel" "$@"; }
in_builder make -s -C "$unpacked/headers" M="$work" CC="$(cat "$unpacked/cc")" modules >"$work/build.log" 2>&1 ||
	{ cat "$work/build.log"; exit 1; }
module=$(in_builder "$root/scripts/kmod.sh" "$unpacked/headers")
make -s -C "$root/tests/kmod"
exec "$here/run.sh" -k "$kernel" -n 400 -t "${SCOPE_VM_SECONDS:-200}" -- \
	sh -c "insmod $work/nmi_module.ko && insmod $module && $build/kmod/scopetest nmi &&
		rmmod scope && rmmod nmi_module && echo ok nmi || { echo not ok nmi; exit 1; }"
