#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The part of test_no_delays.sh that runs in the guest.
#
# Usage: no_delays_guest.sh SCOPE SCOPE_KO SCOPE_KO_WITHOUT WORK
set -uo pipefail

scope=$1 module=$2 without=$3 work=$4
dir=$(mktemp -d /dev/shm/no_delays.XXXXXX)
cd "$dir" || exit 1
failures=0
program=${scope%/user/scope}/kmod/scopetest

pass() {	# NAME COMMAND...
	local name=$1
	shift
	if "$@" >"$dir/why" 2>&1; then
		echo "ok $name"
	else
		echo "not ok $name"
		sed 's/^/    /' "$dir/why" "$dir/said" | head -40
		failures=$((failures + 1))
	fi
}

# The words of COMMAND hold PATTERN, and its exit status is WANT.
says() {	# WANT PATTERN COMMAND...
	local want=$1 pattern=$2 got=0
	shift 2
	"$@" >"$dir/said" 2>&1 </dev/null || got=$?
	[ "$got" -eq "$want" ] || { echo "exit status $got, expected $want"; return 1; }
	grep -Eq -- "$pattern" "$dir/said" || { echo "no '$pattern'"; return 1; }
}

delay() {	# COMMAND... before scope
	says "$1" "$2" "${@:3}" "$scope" delay sensitivity -p "$target" --site return:clock_nanosleep \
		--progress syscall:clock_nanosleep --by 100us --repeats 2 --length 100ms --seed 1
}

records() {
	says 0 . "$scope" record -p "$target" --source kmod -d 1 -o "$dir/trace" &&
		says 0 '^meta source kmod' "$scope" dump "$dir/trace"
}

has_no_code() { ! grep -E ' scope_delay_(serve|detour|stub|due)' /proc/kallsyms; }

"$work" half 600 &
target=$!
insmod "$module" delays=0
pass "parameter: delays are refused, and it is named" delay 1 'switched off by the .*parameter .delays.: .echo 1 > /sys/module/scope/parameters/delays'
pass "parameter: the doctor knows" says 0 '^hint .*scope delay. cannot run: .*parameter delays' "$scope" doctor
pass "parameter: captures run" records
echo 1 >/sys/module/scope/parameters/delays
pass "switched on again delays are served" delay 0 'return:clock_nanosleep'
pass "switched on again: the doctor runs" says 0 '^ok .*module is loaded' "$scope" doctor
pass "switched on again: the doctor has no hint of delays" eval '! grep "scope delay" "$dir/said"'
pass "CAP_PERFMON alone may not delay" delay 1 'takes CAP_SYS_ADMIN, CAP_PERFMON is not enough' \
	setpriv --bounding-set=-all,+perfmon,+sys_ptrace,+dac_override --
pass "a cap above the limit is misuse" says 2 'max-delay is at most 100' "$scope" delay sensitivity -p "$target" \
	--site receive --max-delay 101
rmmod scope

insmod "$without"
pass "built without: delays are refused, and it is said" delay 1 'built without delays .SCOPE_DELAYS=0.'
pass "built without: the doctor knows" says 0 '^hint .*scope delay. cannot run: .*built without delays' "$scope" doctor
pass "built without: captures run" records
pass "built without: none of the code is there" has_no_code
for name in smoke sessions stack_chain probe_kernel probe_user; do
	pass "built without: $name" "$program" $name
done
rmmod scope || failures=$((failures + 1))
kill -9 "$target"
wait 2>/dev/null
[ "$failures" -eq 0 ]
