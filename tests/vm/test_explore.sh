#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# scope explore with the module and with perf events in a guest: it finds the function, sets the probes that it says, and
# leaves none, whatever ends it.
#
# Usage: tests/vm/test_explore.sh [-k KEY]      kernel as for run.sh (6.1)
# Prints "ok NAME" or "not ok NAME" for each test; exits 1 if any failed. Writes below build/ only.
. "$(dirname "$0")/begin.sh"

module=$(module)
gcc -O2 -g -Wall -Wextra -o "$work/work" tests/unit/explore_work.c -lpthread -ldl -lm
gcc -O2 -Wall -Wextra -o "$work/text_changed" tests/unit/text_changed.c
exec tests/vm/run.sh -k "$kernel" -t "${SCOPE_VM_SECONDS:-1200}" -- \
	tests/vm/explore_guest.sh "$build/user/scope" "$module" "$work"
