#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A capture whose stacks the module walks by unwind tables, of a program without frame pointers.
#
# Usage: tests/vm/test_tables.sh [-k KEY]      kernel as for run.sh (6.1)
# Prints "ok NAME" or "not ok NAME" for each test; exits 1 if any failed. Writes below build/ only.
. "$(dirname "$0")/begin.sh"

module=$(module)
# The same module without the two requests that tables came with.
rm -rf "$work/older"
mkdir "$work/older"
cp -R kmod include scripts "$work/older"
sed -i '/case SCOPE_IOC_TABLE_ADD:/,/ioctl_maps(/d' "$work/older/kmod/chardev.c"
sed -i '/^static long ioctl_table(/s/^/__maybe_unused /; /^static long ioctl_maps(/s/^/__maybe_unused /' "$work/older/kmod/chardev.c"
older=$(scripts/kernel.sh -x "$kernel" env BUILD="$work/older/build" "$work/older/scripts/kmod.sh" "$unpacked/headers")
gcc -O2 -g -fomit-frame-pointer -o "$work/target" tests/unit/unwind_target.c -pthread
gcc -O2 -fomit-frame-pointer -o "$work/late" tests/vm/late_library.c -ldl
gcc -O2 -fomit-frame-pointer -fPIC -shared -DLIBRARY -o "$work/late.so" tests/vm/late_library.c
exec tests/vm/run.sh -k "$kernel" -t "${SCOPE_VM_SECONDS:-600}" -- \
	tests/vm/tables_guest.sh "$build/user/scope" "$module" "$older" "$work/target" "$work/late"
