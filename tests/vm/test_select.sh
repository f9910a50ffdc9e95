#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Record what -t, --comm, --cgroup, --syscalls and several -p select, in a guest.
#
# Usage: tests/vm/test_select.sh [-k KEY]      kernel as for run.sh (6.1)
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

make -s -C "$root" user
module=$("$root/scripts/kernel.sh" -x "$kernel" "$root/scripts/kmod.sh" "$unpacked/headers")
exec "$here/run.sh" -k "$kernel" -t "${SCOPE_VM_SECONDS:-300}" -- \
	"$here/select_guest.sh" "$build/user/scope" "$module"
