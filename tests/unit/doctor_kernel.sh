#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# `scope doctor` reports the same obstacles as the module's build: a kernel that is too old, or has no tracepoints.
# Run by scripts/check.sh; root.
set -uo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
scope=${BUILD:-$root/build}/user/scope
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

says() {	# NAME PATTERN COMMAND...
	local name=$1 pattern=$2
	shift 2
	if "$@" >"$work/said" 2>&1 </dev/null; grep -qE "$pattern" "$work/said"; then
		echo "ok doctor_kernel $name"
	else
		echo "not ok doctor_kernel $name: no line with '$pattern' in: $(cat "$work/said")"
		failed=1
	fi
}

refutes() {	# NAME PATTERN COMMAND...
	local name=$1 pattern=$2
	shift 2
	"$@" >"$work/said" 2>&1 </dev/null
	if [ -s "$work/said" ] && ! grep -qE "$pattern" "$work/said"; then
		echo "ok doctor_kernel $name"
	else
		echo "not ok doctor_kernel $name: $(cat "$work/said")"
		failed=1
	fi
}

without_tracepoints() {
	echo '0000000000000000 T schedule' >"$work/kallsyms"
	# shellcheck disable=SC2016 # expanded inside
	unshare -m sh -c 'mount --bind "$1" /proc/kallsyms && exec "$2" doctor' sh "$work/kallsyms" "$scope"
}

refutes 'nothing of the kind here' 'older than 3.10|no tracepoints' "$scope" doctor
says 'of a kernel before 3.10' 'kernel 2\.6\.[0-9].* is older than 3\.10' setarch --uname-2.6 "$scope" doctor
says 'of one without tracepoints' 'has no tracepoints \(built without CONFIG_TRACEPOINTS\)' without_tracepoints
exit $failed
