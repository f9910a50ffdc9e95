#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Report on a process through the module in a guest, and try what must be refused.
#
# Usage: tests/vm/test_report.sh [-k KEY]      kernel as for run.sh (6.1)
# Prints "ok NAME" or "not ok NAME" for each test; exits 1 if any failed. Writes below build/ only.
. "$(dirname "$0")/begin.sh"

compile record_work
module=$(module)
# The same module as another kernel's would look, to its vermagic: another release, without SMP (a
# kernel with module versions looks at the rest only).
version=$(cat "$unpacked/version")
sed "s/vermagic=$version SMP/vermagic=$(tr '0-9' '1-90' <<< "$version") UMP/" \
	"$module" > "$work/other.ko"
exec tests/vm/run.sh -k "$kernel" -t "${SCOPE_VM_SECONDS:-1200}" -o "$work/out" -- \
	tests/vm/report_guest.sh "$build/user/scope-report" "$module" "$work/other.ko" \
	"$work/record_work"
