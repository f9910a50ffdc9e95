#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Build the Debian packages scope and scope-dkms, and let lintian look at them.
#
# Usage: scripts/deb.sh      prints the paths of the packages, in build/deb/
# They are built from a copy of the tree: the tree itself stays as it is.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
build=$(mkdir -p "${BUILD:-$root/build}/deb" && cd "${BUILD:-$root/build}/deb" && pwd)
version=$(sed -n 's/^#define SCOPE_VERSION "\(.*\)"/\1/p' "$root/include/scope/abi.h")
grep -q "^scope ($version" "$root/debian/changelog" || {
	echo "deb.sh: include/scope/abi.h says version $version, debian/changelog another: make them agree" >&2
	exit 1
}
"$root/scripts/setup.sh" build deb >&2

copy=$build/scope-$version
rm -rf "$copy" "$build"/*.deb
mkdir "$copy"
tar -C "$root" --exclude=./build --exclude=./.git -cf - . | tar -C "$copy" -xf -
unset MAKEFLAGS MFLAGS MAKELEVEL BUILD
(cd "$copy" && DEB_BUILD_OPTIONS=noautodbgsym dpkg-buildpackage -b -us -uc) >"$build/log" 2>&1 || {
	echo "deb.sh: building failed; the end of $build/log:" >&2
	tail -n 30 "$build/log" >&2
	exit 1
}
rm -rf "$copy"
# No bug report of Debian's asked for them, and none of its mirrors holds them.
lintian --allow-root --suppress-tags initial-upload-closes-no-bugs --fail-on error,warning "$build"/*.deb >&2
ls "$build"/*.deb
