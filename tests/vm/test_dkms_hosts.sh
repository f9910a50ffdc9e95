#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Show that the module goes in by DKMS as hosts have it: DKMS 2 and the newest 3, headers laid out as
# distributions do, two kernels at once, upgrades and downgrades, signatures, and the messages after a failure.
#
# Usage: tests/vm/test_dkms_hosts.sh
# Each DKMS runs in a copy of this system whose changes stay in memory, with kernels and trees of its own;
# no guest is booted. Prints "ok NAME" or "not ok NAME" for each test; exits 1 if any failed, 77 with the
# reason if it cannot run.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
. "$root/scripts/debian.sh"

skip() { echo "skipped: $*"; exit 77; }
[ "$(id -u)" -eq 0 ] || skip "DKMS wants root"
"$root/scripts/setup.sh" dkms vm || skip "the packages it needs cannot be installed"
build=$(mkdir -p "${BUILD:-$root/build}/vm" && cd "${BUILD:-$root/build}" && pwd)

# Kept for the next time: no part of DKMS runs from there but its script.
provide() {	# SUITE
	local apt
	[ ! -e "$build/vm/dkms-$1/stamp" ] || return 0
	rm -rf "$build/vm/dkms-$1" "$build/vm/dkms-apt"
	debian_apt "$build/vm/dkms-apt" "debian:$1" && debian_unpack "$build/vm/dkms-apt" "$build/vm/dkms-$1" dkms &&
		touch "$build/vm/dkms-$1/stamp"
	rm -rf "$build/vm/dkms-apt"
}

failed=0
for suite in bullseye trixie; do
	provide $suite || skip "DKMS of Debian $suite cannot be fetched"
done
for key in 6.1 6.12; do
	"$root/scripts/kernel.sh" "$key" >/dev/null || skip "kernel $key cannot be unpacked"
done
for suite in bullseye trixie; do
	"$here/copy.sh" "$root" "$build" -- "$here/dkms_host.sh" "$build" "$suite" || failed=1
done
exit $failed
