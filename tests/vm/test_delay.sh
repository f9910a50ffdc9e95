#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Delay experiments in a guest, on programs whose answers are known.
#
# Usage: tests/vm/test_delay.sh [-k KEY]      kernel as for run.sh (6.1)
# Prints "ok NAME" or "not ok NAME" for each test; exits 1 if any failed. Writes below build/ only. The
# guest counts instructions, so a busy host changes nothing of its time.
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
work=$build/vm/delay-$kernel
mkdir -p "$work"

make -s -C "$root" user
gcc -O1 -g -Wall -Wextra -pthread -o "$work/delay_work" "$here/delay_work.c"
module=$("$root/scripts/kmod.sh" "$unpacked/headers")
exec "$here/run.sh" -i -c 1 -k "$kernel" -t "${SCOPE_VM_SECONDS:-600}" -o "$work/out" -- \
	"$here/delay_guest.sh" "$build/user/scope" "$module" "$work/delay_work"
