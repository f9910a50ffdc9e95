#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Hosts that want no delays: the module's parameter, a module built without them, a user without
# CAP_SYS_ADMIN. scope delay and scope doctor say which of these it is, and captures run all the same.
#
# Usage: tests/vm/test_no_delays.sh [-k KEY]      kernel as for run.sh (6.1)
# Prints "ok NAME" or "not ok NAME" for each test; exits 1 if any failed. Writes below build/ only.
. "$(dirname "$0")/begin.sh"

compile delay_work
make -s -C tests/kmod
module=$(module)
without=$(BUILD=$build/nodelays scripts/kernel.sh -x "$kernel" scripts/kmod.sh "$unpacked/headers" SCOPE_DELAYS=0)
exec tests/vm/run.sh -k "$kernel" -t "${SCOPE_VM_SECONDS:-600}" -o "$work/out" -- \
	tests/vm/no_delays_guest.sh "$build/user/scope" "$module" "$without" "$work/delay_work"
