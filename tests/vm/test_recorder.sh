#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Start commands under a recording, rotate, fly, trigger, fill disks and press Ctrl-C, in a guest.
#
# Usage: tests/vm/test_recorder.sh [-k KEY]      kernel as for run.sh (6.1)
# Prints "ok NAME" or "not ok NAME" for each test; exits 1 if any failed. Writes below build/ only.
. "$(dirname "$0")/begin.sh"

compile record_work
compile record_hang
module=$(module)
exec tests/vm/run.sh -k "$kernel" -t "${SCOPE_VM_SECONDS:-1200}" -o "$work/out" -- \
	tests/vm/recorder_guest.sh "$build/user/scope" "$module" "$work"
