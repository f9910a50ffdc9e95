#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Record a process through the module in a guest, look at the trace, and try what must be refused.
#
# Usage: tests/vm/test_record.sh [-k KEY]      kernel as for run.sh (6.1)
# Prints "ok NAME" or "not ok NAME" for each test; exits 1 if any failed. Writes below build/ only.
set -euo pipefail

kernel=6.1
while getopts k: option; do
	case $option in
	k) kernel=$OPTARG ;;
	*) sed -n 's/^# \(Usage.*\)/\1/p' "$0" >&2; exit 2 ;;
	esac
done

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
"$root/scripts/setup.sh" build vm
unpacked=$("$root/scripts/kernel.sh" "$kernel")
build=${BUILD:-$root/build}
work=$build/vm/record-$kernel
mkdir -p "$work"

make -s -C "$root" user
gcc -O1 -g -Wall -Wextra -pthread -o "$work/record_work" "$here/record_work.c"
module=$("$root/scripts/kmod.sh" "$unpacked/headers")
exec "$here/run.sh" -k "$kernel" -t "${SCOPE_VM_SECONDS:-300}" -o "$work/out" -- \
	"$here/record_guest.sh" "$build/user/scope" "$module" "$work/record_work"
