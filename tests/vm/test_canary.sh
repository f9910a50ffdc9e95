#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Search for secrets of a target in all files that a capture by the module writes.
#
# Usage: tests/vm/test_canary.sh [-k KEY]      kernel as for run.sh (6.1)
# Prints "ok - NAME" or "not ok - NAME" for each test; exits 1 if any failed. Writes below build/ only.
. "$(dirname "$0")/begin.sh"

module=$(module)
exec tests/vm/run.sh -k "$kernel" -t "${SCOPE_VM_SECONDS:-600}" -- tests/vm/canary_guest.sh "$module"
