#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The part of test_doctor.sh that runs in the guest, whose kernel loads signed modules only.
#
# Usage: doctor_guest.sh SCOPE SCOPE_KO WORK
set -uo pipefail

scope=$1 module=$2 work=$3
said=$(mktemp /dev/shm/doctor.XXXXXX)
failures=0

# The doctor's words hold the pattern; its exit status is that wanted.
says() {	# NAME STATUS PATTERN ARGUMENT...
	local name=$1 want=$2 pattern=$3 got=0
	shift 3
	"$scope" doctor "$@" >"$said" 2>&1 </dev/null || got=$?
	if [ "$got" = "$want" ] && grep -Eq -- "$pattern" "$said"; then
		echo "ok $name"
	else
		echo "not ok $name"
		{ echo "exit status $got, expected $want and '$pattern'"; cat "$said"; } | sed 's/^/    /'
		failures=$((failures + 1))
	fi
}

kernel_refuses() {	# NAME FILE
	if insmod "$2" 2>/dev/null; then
		echo "not ok $1"
		rmmod scope
		failures=$((failures + 1))
	else
		echo "ok $1"
	fi
}

place=/lib/modules/$(uname -r)/updates/dkms
"$work/named" >/dev/null 2>&1 &
named=$!
"$work/stripped" >/dev/null 2>&1 &
stripped=$!

kernel_refuses unsigned_is_refused "$module"
kernel_refuses unknown_key_is_refused "$work/signed.ko"
# Perf events do in place of the module: what that lacks is a hint, and the status is 0.
says unsigned_only_hint 0 '^hint .*signed modules only \(sig_enforce\): sign .*scope.ko .*sign-file.*enrol' "$module"
says signed_is_known 0 '^hint .*sig_enforce\), and .*signed.ko is signed:.*mokutil --import' "$work/signed.ko"
says nothing_installed 0 "^hint .*no scope.ko is installed for kernel $(uname -r).*scope-dkms"
mkdir -p "$place" && cp "$work/signed.ko" "$place/scope.ko"
says installed_is_found 0 "^ok .*$place/scope.ko is installed.*modprobe scope"
says installed_and_signed 0 '^hint .*updates/dkms/scope.ko is signed'
says wrong_file 1 'is no kernel module' "$scope"
says names_known 0 "^ok .*process $named: .*have names" -p "$named"
says names_missing 0 "^hint .*process $stripped: .*no names: install .*$work/stripped \(build-id [0-9a-f]{40}" -p "$stripped"
says no_process 1 '^MISSING .*process 4000000 .*no such process' -p 4000000
says no_number 2 'not a process number' -p zero
kill -9 "$named" "$stripped"
wait 2>/dev/null
[ "$failures" -eq 0 ]
