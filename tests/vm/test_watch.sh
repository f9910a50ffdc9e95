#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Watch a control group by the module, in a guest: a hang, a restart, a full disk, Ctrl-C and a kill.
#
# Usage: tests/vm/test_watch.sh [-k KEY]      kernel as for run.sh (6.1)
# Prints "ok NAME" or "not ok NAME" for each test; exits 1 if any failed. Writes below build/ only.
. "$(dirname "$0")/begin.sh"

gcc -O1 -g -Wall -Wextra -pthread -o "$work/watch_work" tests/unit/watch_work.c
module=$(module)
exec tests/vm/run.sh -k "$kernel" -t "${SCOPE_VM_SECONDS:-600}" -o "$work/out" -- \
	tests/vm/watch_guest.sh "$build/user/scope" "$module" "$work"
