#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A server stores each request on a slow device, a loop device or one of the device mapper, in a guest with
# the module. The report names the device as the cause.
#
# Usage: tests/vm/test_device.sh [-k KEY]      kernel as for run.sh (6.1)
# RUNS=N: that many runs on each, and as many on a device that does not take long; 2 usually.
# Prints "ok NAME" or "not ok NAME" for each test; exits 1 if any failed. Writes below build/ only.
. "$(dirname "$0")/begin.sh"

module=$(module)
gcc -O1 -g -Wall -Wextra -o "$work/outside_work" tests/unit/outside_work.c
exec tests/vm/run.sh -k "$kernel" -t "${SCOPE_VM_SECONDS:-1800}" -- \
	env RUNS="${RUNS:-2}" tests/vm/device_guest.sh "$build/user/scope" "$module" "$work/outside_work"
