#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Report on a process through the module in a guest, and try what must be refused.
#
# Usage: tests/vm/test_report.sh [-k KEY]      kernel as for run.sh (6.1)
# Prints "ok NAME" or "not ok NAME" for each test; exits 1 if any failed. Writes below build/ only.
set -euo pipefail

kernel=6.1
while getopts k: option; do
	case $option in
	k) kernel=$OPTARG ;;
	*) sed -n 's/^# \(Usage.*\)/\1/p' "$0" >&2; exit 2 ;;
	esac
done

cd "$(dirname "$0")/../.."
build=$(cd "${BUILD:-build}" && pwd)
work=$build/vm/report-$kernel
mkdir -p "$work"
unpacked=$(scripts/kernel.sh "$kernel")
module=$(scripts/kernel.sh -x "$kernel" scripts/kmod.sh "$unpacked/headers")
gcc -O1 -g -Wall -Wextra -pthread -o "$work/record_work" tests/vm/record_work.c
# The same module as another kernel's would look, to its vermagic: another release, without SMP (a
# kernel with module versions looks at the rest only).
version=$(cat "$unpacked/version")
sed "s/vermagic=$version SMP/vermagic=$(tr '0-9' '1-90' <<< "$version") UMP/" \
	"$module" > "$work/other.ko"
exec tests/vm/run.sh -k "$kernel" -t "${SCOPE_VM_SECONDS:-300}" -o "$work/out" -- \
	tests/vm/report_guest.sh "$build/user/scope-report" "$module" "$work/other.ko" \
	"$work/record_work"
