#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# One server under load, traced by the module and by perf events at once in a guest: both must tell
# the same story.
#
# Usage: tests/vm/test_sources.sh [-k KEY]      kernel as for run.sh (6.1)
# Prints "ok NAME" or "not ok NAME" for each test; exits 1 if any failed. Writes below build/ only.
. "$(dirname "$0")/begin.sh"

tests/bugs/build.sh lock
module=$(module)
scope=$build/user/scope
failures=0

pass() {	# NAME COMMAND...
	local name=$1
	shift
	if "$@" > "$work/why" 2>&1; then
		echo "ok $name"
	else
		echo "not ok $name"
		sed 's/^/    /' "$work/why" | tail -n 40
		failures=$((failures + 1))
	fi
}

# Of either trace: the functions named, with their modules.
name_functions() {
	local source
	for source in kmod perf; do
		"$scope" report -i "$work/out/$source.trace" -o "$work/$source.report" || return 1
		cat "$work/$source.report"
		awk '/^  #  function/ {on = 1; next} on && $1 ~ /^[0-9]+$/ {print $2, $3; next} {on = 0}' \
			"$work/$source.report" > "$work/$source.named"
	done
	grep -qE "^($(cat "$work/out/expect")) " "$work/kmod.named" &&
		cmp "$work/kmod.named" "$work/perf.named" &&
		grep -q 'Source perf cannot give' "$work/perf.report"
}

same_calls() {
	local source
	for source in kmod perf; do
		"$scope" dump "$work/out/$source.trace" > "$work/$source.txt" || return 1
	done
	python3 tests/vm/compare_sources.py "$work/kmod.txt" "$work/perf.txt" | tee "$work/compared"
}

tests/vm/run.sh -k "$kernel" -m 2048 -t "${SCOPE_VM_SECONDS:-1200}" -o "$work/out" -- \
	tests/vm/sources_guest.sh "$scope" "$module"
pass "both name the same functions" name_functions
pass "both saw the same calls, switches and wakings" same_calls
cat "$work/compared"
[ "$failures" -eq 0 ]
