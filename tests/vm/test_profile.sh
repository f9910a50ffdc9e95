#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# scope model --profile and --sweep by the module, in a guest: a server is made from a profile, and traced; its profile is that which
# it was made from.
#
# Usage: tests/vm/test_profile.sh [-k KEY]      kernel as for run.sh (6.1)
# Prints "ok NAME" or "not ok NAME" for each test; exits 1 if any failed. Writes below build/ only.
. "$(dirname "$0")/begin.sh"

module=$(module)
gcc -O2 -Wall -Wextra -Werror -pthread -o "$work/synthetic" tests/synthetic/*.c -ljansson -lm
cp "$build/user/scope" "$work/scope"
exec tests/vm/run.sh -k "$kernel" -t "${SCOPE_VM_SECONDS:-1200}" -- tests/vm/profile_guest.sh "$work/scope" "$module" "$work"
