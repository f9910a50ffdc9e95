# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# For the parts of tests that run in a guest, or as if they did: they set scope (the program) and dir (a folder of the
# test's own) before they source it. Counts in failures.

failures=0

pass() {	# NAME COMMAND...
	local name=$1 begin=$SECONDS
	shift
	if "$@" >"$dir/why" 2>&1; then
		echo "ok $name ($((SECONDS - begin)) s)"
	else
		echo "not ok $name"
		head -q -n 20 "$dir/why" "$dir/stdout" "$dir/stderr" 2>/dev/null | sed 's/^/    /'
		failures=$((failures + 1))
	fi
}

# Runs scope; its exit status must be STATUS, and its words must match PATTERN.
says() {	# STATUS PATTERN ARGUMENT...
	local want=$1 pattern=$2 got=0
	shift 2
	"$scope" "$@" >"$dir/stdout" 2>"$dir/stderr" </dev/null || got=$?
	[ "$got" -eq "$want" ] || { echo "exit status $got, expected $want: $*"; return 1; }
	grep -Eq -- "$pattern" "$dir/stdout" "$dir/stderr" || { echo "no '$pattern': $*"; return 1; }
}

until_true() {	# COMMAND...: at most 60 s
	local round
	for round in $(seq 600); do
		! "$@" >/dev/null 2>&1 || return 0
		sleep 0.1
	done
	echo "never true: $* ($round rounds)"
	return 1
}
