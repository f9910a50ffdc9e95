#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What the module and the programs do on a kernel that is locked down, for integrity and for confidentiality.
#
# Usage: tests/vm/test_lockdown.sh [-k KEY]      kernel as for run.sh (6.1)
# Prints "ok NAME" or "not ok NAME" for each test; exits 1 if any failed. Writes below build/ only.
. "$(dirname "$0")/begin.sh"

exec tests/vm/run.sh -k "$kernel" -t "${SCOPE_VM_SECONDS:-600}" -o "$work/out" -- \
	tests/vm/lockdown_guest.sh "$build/user/scope" "$(module)"
