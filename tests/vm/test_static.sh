#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Show that the program of `make static` captures and reports in a root that holds nothing but it and a
# static server, whose bug it names, and that its traces are those of the program with libraries.
#
# Usage: tests/vm/test_static.sh [-k KEY]      kernel as for run.sh (6.1)
# Prints "ok NAME" or "not ok NAME" for each test; exits 1 if any failed. Writes below build/ only.
. "$(dirname "$0")/begin.sh"

make -s static
scripts/setup.sh test
musl-gcc -g -O2 -Wall -Wextra -static -Wl,--build-id -o "$work/planted" tests/vm/planted.c
compile record_work
module=$(module)
# Time is instructions: how busy this machine is does not decide which requests take too long, nor whether events are lost.
VM_SHIFT=3 exec tests/vm/run.sh -i -k "$kernel" -t "${SCOPE_VM_SECONDS:-1200}" -o "$work/out" -- \
	tests/vm/static_guest.sh "$build/static/scope" "$build/user/scope" "$module" "$work/record_work" "$work/planted"
