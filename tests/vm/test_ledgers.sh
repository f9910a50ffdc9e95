#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What scope metrics has of threads in a guest with the module equals what the kernel counts of them itself: time on a CPU and
# in the run queue for each thread and second, page faults, and the sectors of a private loop device.
#
# Usage: tests/vm/test_ledgers.sh [-k KEY]      kernel as for run.sh (6.1)
# Prints "ok NAME" or "not ok NAME" for each test; exits 1 if any failed. Writes below build/ only. The guest counts
# instructions and has one processor, so a busy host changes nothing of its time.
. "$(dirname "$0")/begin.sh"

compile ledger_work
module=$(module)
exec tests/vm/run.sh -i -c 1 -k "$kernel" -t "${SCOPE_VM_SECONDS:-600}" -o "$work/out" -- \
	tests/vm/ledgers_guest.sh "$build/user/scope" "$module" "$work/ledger_work"
