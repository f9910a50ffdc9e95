#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The part of test_sources.sh that runs in the guest: leaves both traces in $VM_OUT.
#
# Usage: sources_guest.sh SCOPE SCOPE_KO
set -uo pipefail

scope=$1 module=$2
here=$(dirname "$0")/..
out=${VM_OUT:?}
dir=$(mktemp -d /dev/shm/sources.XXXXXX)
failures=0

pass() {	# NAME COMMAND...
	local name=$1
	shift
	if "$@" >"$dir/why" 2>&1; then
		echo "ok $name"
	else
		echo "not ok $name"
		sed 's/^/    /' "$dir/why" | tail -n 40
		failures=$((failures + 1))
	fi
}

falls_back() {
	"$scope" record -p "$SERVER_PID" -d 0.5 -o "$dir/auto.trace" 2>"$dir/said" &&
		grep -q 'module is not loaded.*so perf is used; see .scope doctor' "$dir/said" &&
		"$scope" dump "$dir/auto.trace" >"$dir/text" && grep -q '^meta source perf' "$dir/text"
}

insists() {
	! "$scope" record -p "$SERVER_PID" --source kmod -d 0.5 -o "$dir/none.trace" 2>"$dir/said" &&
		grep -q 'module is not loaded' "$dir/said" && [ ! -e "$dir/none.trace" ]
}

prefers_the_module() {
	"$scope" record -p "$SERVER_PID" -d 0.5 -o "$dir/module.trace" 2>"$dir/said" &&
		[ ! -s "$dir/said" ] && "$scope" dump "$dir/module.trace" >"$dir/text" &&
		grep -q '^meta source kmod' "$dir/text"
}

record_both() {
	local source pids='' status=0
	for source in kmod perf; do
		"$scope" record -p "$SERVER_PID" --source "$source" --subbuf-count 32 -d 12 \
			-o "$dir/$source.trace" &
		pids="$pids $!"
	done
	for source in $pids; do wait "$source" || status=1; done
	return "$status"
}

eval "$(DURATION=300 "$here/bugs/start.sh" lock 1)"
pass "falls back to perf events, and says why" falls_back
pass "insists on the module where an option says so" insists
insmod "$module" || exit 1
pass "prefers the module" prefers_the_module
pass "records by both at once" record_both
cp "$dir/kmod.trace" "$dir/perf.trace" "$out" && echo "$EXPECT" > "$out/expect"
"$here/bugs/stop.sh" "$SERVER_PID" "$LOAD_PID" >/dev/null 2>&1
pass "the module goes away" rmmod scope
[ "$failures" -eq 0 ]
