#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Record a process through the module in a guest, look at the trace, and try what must be refused.
#
# Usage: tests/vm/test_record.sh [-k KEY]      kernel as for run.sh (6.1)
# Prints "ok NAME" or "not ok NAME" for each test; exits 1 if any failed. Writes below build/ only.
. "$(dirname "$0")/begin.sh"

compile record_work
# A 32-bit one, where a compiler for it is there.
small=$work/small
gcc -m32 -I/usr/include/x86_64-linux-gnu -O1 -pthread -o "$small" tests/unit/perf_work.c 2>/dev/null || small=-
module=$(module)
exec tests/vm/run.sh -k "$kernel" -t "${SCOPE_VM_SECONDS:-1200}" -o "$work/out" -- \
	tests/vm/record_guest.sh "$build/user/scope" "$module" "$work/record_work" "$small"
