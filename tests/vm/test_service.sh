#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The systemd unit: checked by systemd-analyze, and started by a systemd in a guest.
#
# Usage: tests/vm/test_service.sh [-k KEY]      kernel as for run.sh (6.1)
# Prints "ok NAME" or "not ok NAME" for each test; exits 1 if any failed, 77 without systemd. Writes
# below build/ only.
if [ ! -x /lib/systemd/systemd ] || ! command -v systemd-analyze >/dev/null; then
	echo "skipped: there is no systemd on this host; install the package systemd"
	exit 77
fi
. "$(dirname "$0")/begin.sh"

mkdir -p "$work/units"
sed "s,@BINDIR@,$build/user," scripts/scope-record@.service >"$work/units/scope-record@.service"
cp tests/vm/service_victim.service "$work/units/victim.service"
if systemd-analyze verify --man=no "$work/units/scope-record@victim.service" >"$work/verify" 2>&1 &&
	! grep -qE 'scope-record|victim' "$work/verify"; then
	echo "ok systemd-analyze finds nothing"
else
	echo "not ok systemd-analyze finds nothing"
	cat "$work/verify"
	exit 1
fi
module=$(module)
exec tests/vm/run.sh -k "$kernel" -t "${SCOPE_VM_SECONDS:-1200}" -o "$work/out" -- \
	tests/vm/service_guest.sh "$build/user/scope" "$module" "$work/units"
