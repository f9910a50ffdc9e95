#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Delay experiments in a guest, on programs whose answers are known.
#
# Usage: tests/vm/test_delay.sh [-k KEY]      kernel as for run.sh (6.1)
# Prints "ok NAME" or "not ok NAME" for each test; exits 1 if any failed. Writes below build/ only. The
# guest counts instructions, so a busy host changes nothing of its time.
. "$(dirname "$0")/begin.sh"

compile delay_work
module=$(module)
exec tests/vm/run.sh -i -c 1 -k "$kernel" -t "${SCOPE_VM_SECONDS:-1200}" -o "$work/out" -- \
	tests/vm/delay_guest.sh "$build/user/scope" "$module" "$work/delay_work"
