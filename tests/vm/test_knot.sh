#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A bottleneck that a trace shows: what the report and scope delay predict, and what the program gains if it is really faster.
#
# Usage: tests/vm/test_knot.sh [-k KEY]      kernel as for run.sh (6.1)
# Prints "ok NAME" or "not ok NAME" for each test; exits 1 if any failed. Writes below build/ only. The
# guest counts instructions, so a busy host changes nothing of its time.
. "$(dirname "$0")/begin.sh"

gcc -O1 -g -Wall -Wextra -pthread -o "$work/waits_work" tests/unit/waits_work.c
module=$(module)
exec tests/vm/run.sh -i -c 1 -k "$kernel" -t "${SCOPE_VM_SECONDS:-600}" -o "$work/out" -- \
	tests/vm/knot_guest.sh "$build/user/scope" "$module" "$work/waits_work"
