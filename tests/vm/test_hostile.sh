#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Trace hostile targets by the module, in a guest whose thread numbers begin again and again.
#
# Usage: tests/vm/test_hostile.sh [-k KEY]      kernel as for run.sh (6.1)
# Prints "ok - NAME" or "not ok - NAME" for each test; exits 1 if any failed. Writes below build/ only.
. "$(dirname "$0")/begin.sh"

module=$(module)
exec tests/vm/run.sh -k "$kernel" -t "${SCOPE_VM_SECONDS:-1200}" -- tests/vm/hostile_guest.sh "$module"
