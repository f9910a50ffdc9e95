#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A capture whose stacks the module walks by unwind tables, of a program without frame pointers.
#
# Usage: tests/vm/test_tables.sh [-k KEY]      kernel as for run.sh (6.1)
# Prints "ok NAME" or "not ok NAME" for each test; exits 1 if any failed. Writes below build/ only.
. "$(dirname "$0")/begin.sh"

module=$(module)
gcc -O2 -g -fomit-frame-pointer -o "$work/target" tests/unit/unwind_target.c -pthread
gcc -O2 -fomit-frame-pointer -o "$work/late" tests/vm/late_library.c -ldl
gcc -O2 -fomit-frame-pointer -fPIC -shared -DLIBRARY -o "$work/late.so" tests/vm/late_library.c
exec tests/vm/run.sh -k "$kernel" -t "${SCOPE_VM_SECONDS:-600}" -- \
	tests/vm/tables_guest.sh "$build/user/scope" "$module" "$work/target" "$work/late"
