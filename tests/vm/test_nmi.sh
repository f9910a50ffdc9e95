#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Let non-maskable interrupts hit the module in the middle of its work: QEMU sends them, a kprobe in
# their handler makes an event of each.
#
# Usage: tests/vm/test_nmi.sh [-k KEY]      kernel as for run.sh (6.1)
# Prints "ok NAME" or "not ok NAME"; exits 1 if it failed. Writes below build/ only.
. "$(dirname "$0")/begin.sh"

cp tests/vm/nmi_module.c "$work/"
echo 'obj-m := nmi_module.o' >"$work/Kbuild"
scripts/kernel.sh -x "$kernel" make -s -C "$unpacked/headers" M="$work" CC="$(cat "$unpacked/cc")" modules \
	>"$work/build.log" 2>&1 || { cat "$work/build.log"; exit 1; }
module=$(module)
make -s -C tests/kmod
exec tests/vm/run.sh -k "$kernel" -n 400 -t "${SCOPE_VM_SECONDS:-1200}" -- \
	sh -c "insmod $work/nmi_module.ko && insmod $module && $build/kmod/scopetest nmi &&
		rmmod scope && rmmod nmi_module && echo ok nmi || { echo not ok nmi; exit 1; }"
