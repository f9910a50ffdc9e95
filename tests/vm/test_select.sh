#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Record what -t, --comm, --cgroup, --syscalls and several -p select, in a guest.
#
# Usage: tests/vm/test_select.sh [-k KEY]      kernel as for run.sh (6.1)
# Prints "ok NAME" or "not ok NAME" for each test; exits 1 if any failed. Writes below build/ only.
. "$(dirname "$0")/begin.sh"

module=$(module)
exec tests/vm/run.sh -k "$kernel" -t "${SCOPE_VM_SECONDS:-1200}" -- \
	tests/vm/select_guest.sh "$build/user/scope" "$module"
