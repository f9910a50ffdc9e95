#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Start commands under a recording, rotate, fly, trigger, fill disks and press Ctrl-C, in a guest.
#
# Usage: tests/vm/test_recorder.sh [-k KEY]      kernel as for run.sh (6.1)
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
work=$build/vm/recorder-$kernel
mkdir -p "$work"
unpacked=$(scripts/kernel.sh "$kernel")
module=$(scripts/kernel.sh -x "$kernel" scripts/kmod.sh "$unpacked/headers")
for program in record_work record_hang; do
	gcc -O1 -g -Wall -Wextra -pthread -o "$work/$program" "tests/vm/$program.c"
done
exec tests/vm/run.sh -k "$kernel" -t "${SCOPE_VM_SECONDS:-600}" -o "$work/out" -- \
	tests/vm/recorder_guest.sh "$build/user/scope" "$module" "$work"
