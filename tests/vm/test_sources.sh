#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# One server under load, traced by the module and by perf events at once in a guest: both must record
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

# Of either trace: the functions named, with their modules. The first is compared: what comes after it has the
# smaller part of the excess, here much of it the emulated machine's own under two tracers, whose stacks each takes
# at times of its own; one may find enough of them for a line and the other not.
name_functions() {
	local source
	for source in kmod perf; do
		"$scope" report -v -i "$work/out/$source.trace" -o "$work/$source.report" || return 1
		cat "$work/$source.report"
		awk '/^  #  function/ {on = 1; next} on && $1 ~ /^[0-9]+$/ {print $2, $3; next} {on = 0}' \
			"$work/$source.report" > "$work/$source.named"
	done
	head -n 1 "$work/kmod.named" | grep -E "^($(cat "$work/out/expect")) " &&
		cmp <(head -n 1 "$work/kmod.named") <(head -n 1 "$work/perf.named") &&
		[ "$(cat "$work/kmod.named" "$work/perf.named" | wc -l)" -le 6 ] &&
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
pass "both name the same function first" name_functions
pass "both saw the same calls, switches and wakings" same_calls
cat "$work/compared"
wc -l < "$work/kmod.named" | sed "s/^/functions named by the module: /"
wc -l < "$work/perf.named" | sed "s/^/functions named by perf events: /"
[ "$failures" -eq 0 ]
