#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Lay out what DKMS builds scope.ko from: the module, the interface, how to build them.
#
# Usage: dkms/lay-out.sh DIR     DIR is made; whatever it held is removed
set -euo pipefail

[ $# -eq 1 ] || { sed -n 's/^# \(Usage.*\)/\1/p' "$0" >&2; exit 2; }
root=$(cd "$(dirname "$0")/.." && pwd)

# A version that dkms.conf does not share with the programs would confuse both.
version=$(sed -n 's/^#define SCOPE_VERSION "\(.*\)"/\1/p' "$root/include/scope/abi.h")
grep -qx "PACKAGE_VERSION=\"$version\"" "$root/dkms/dkms.conf" || {
	echo "lay-out.sh: include/scope/abi.h says version $version, dkms/dkms.conf another: make them agree" >&2
	exit 1
}
rm -rf "$1"
mkdir -p "$1/include"
cp -R "$root/kmod/." "$1/"
cp -R "$root/include/scope" "$1/include/"
cp "$root/dkms/dkms.conf" "$root/dkms/versions.sh" "$root/COPYING" "$1/"
