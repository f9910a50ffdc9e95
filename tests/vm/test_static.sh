#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Show that the program of `make static` captures in a root that holds nothing but it, and that its
# traces are traces.
#
# Usage: tests/vm/test_static.sh [-k KEY]      kernel as for run.sh (6.1)
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
work=$build/vm/static-$kernel
mkdir -p "$work"

make -s -C "$root" user static
gcc -O1 -g -Wall -Wextra -pthread -o "$work/record_work" "$here/record_work.c"
module=$("$root/scripts/kernel.sh" -x "$kernel" "$root/scripts/kmod.sh" "$unpacked/headers")
exec "$here/run.sh" -k "$kernel" -t "${SCOPE_VM_SECONDS:-200}" -o "$work/out" -- \
	"$here/static_guest.sh" "$build/static/scope" "$build/user/scope" "$module" "$work/record_work"
