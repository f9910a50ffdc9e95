#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The module's filter and rings, used by several threads at once, under the thread sanitizer.
#
# Usage: tests/unit/tsan.sh     exits with 1 if it finds a race or a test fails, with 77 if there is no sanitizer
set -euo pipefail
cd "$(dirname "$0")/../.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo 'int main(void) { return 0; }' >"$work/none.c"
gcc -fsanitize=thread -o "$work/none" "$work/none.c" 2>/dev/null ||
	{ echo "skipped: this compiler has no thread sanitizer: apt-get install libtsan2"; exit 77; }
for test in test_filter test_ring test_ring_flight; do
	gcc -std=gnu11 -g -O1 -fsanitize=thread -D_GNU_SOURCE -Iinclude -Itests/unit/shim \
		-o "$work/$test" "tests/unit/$test.c" -lcmocka -lpthread
	# It wants the address space laid out as it expects.
	TSAN_OPTIONS=halt_on_error=1 setarch --addr-no-randomize "$work/$test" >"$work/log" 2>&1 || {
		cat "$work/log"
		exit 1
	}
	echo "ok $test under the thread sanitizer"
done
