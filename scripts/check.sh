#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Run tests and count them. A test is a command: exit 0 passed, 77 skipped (its last line says
# why), anything else failed.
#
# Usage: scripts/check.sh [GROUP...]     groups: unit golden docs kernel demo (default: these), matrix
# Logs stay in build/check/. The last line reads: N passed, N failed[, N skipped]
set -uo pipefail
cd "$(dirname "$0")/.."

logs=build/check
passed=0 failed=0 skipped=0
rm -rf "$logs"
mkdir -p "$logs"

# run NAME COMMAND...
run() {
	local name=$1 log=$logs/${1//[^a-zA-Z0-9._-]/_}.log status=0 start=$SECONDS
	shift
	"$@" > "$log" 2>&1 < /dev/null || status=$?
	case $status in
	0) passed=$((passed + 1)); echo "ok      $name ($((SECONDS - start)) s)" ;;
	77) skipped=$((skipped + 1)); echo "skipped $name: $(tail -n 1 "$log")" ;;
	*)
		failed=$((failed + 1))
		echo "FAILED  $name (status $status, $log):"
		tail -n 25 "$log" | sed 's/^/        /'
		;;
	esac
}

kernel=${KERNEL:-6.1}
module() { echo "build/kmod/$(cat "build/kernels/$kernel/version")/scope.ko"; }

group_unit() {
	local test
	for test in build/san/tests/test_*; do
		[ -x "$test" ] && [[ $test != *.d ]] && run "$(basename "$test")" "$test"
	done
	for test in tests/unit/*.sh; do
		[ -x "$test" ] && run "$(basename "$test" .sh)" "$test"
	done
	run abi_layout gcc -Iinclude -Wall -Werror -c tests/abi/layout.c -o build/check/layout.o
	for test in tests/fuzz/smoke*.sh; do
		[ -x "$test" ] && run "$(basename "$test" .sh)" "$test"
	done
}

group_golden() {
	run golden tests/golden/run.sh
	run golden_properties tests/golden/properties.sh
}

group_kernel() {
	run vm_harness tests/vm/selftest.sh
	run kmod_programs make -s -C tests/kmod
	run kmod tests/vm/run.sh -k "$kernel" -t 600 -- tests/kmod/run.sh "$(module)"
	local test
	for test in tests/vm/test_*.sh; do
		[ -x "$test" ] && run "$(basename "$test" .sh)" "$test"
	done
}

# The module's tests on every kernel of scripts/kernel.sh.
group_matrix() {
	local key version
	run kmod_programs make -s -C tests/kmod
	for key in $(scripts/kernel.sh -l); do
		run "module_$key" scripts/kernel.sh -x "$key" scripts/kmod.sh \
			"$(scripts/kernel.sh "$key")/headers"
		version=$(cat "build/kernels/$key/version")
		run "kmod_$key" tests/vm/run.sh -k "$key" -t 600 -- \
			tests/kmod/run.sh "build/kmod/$version/scope.ko"
	done
}

group_demo() {
	run demo_lock scripts/demo.sh lock 1 12
	run demo_none scripts/demo.sh none 1 12
}

group_docs() { run docs make --no-print-directory docs; }

for group in ${*:-unit golden docs kernel demo}; do
	"group_$group"
done
summary="$passed passed, $failed failed"
[ "$skipped" -eq 0 ] || summary+=", $skipped skipped"
echo "$summary"
[ "$failed" -eq 0 ]
