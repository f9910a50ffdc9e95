#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Build the rpm packages scope and scope-dkms from dkms/scope.spec.
#
# Usage: [OBJECTS=DIR] scripts/rpm.sh      prints the paths of the packages, in build/rpm/
# OBJECTS= is a folder with the objects of a `make user` of this very tree (build). Make takes those that are newer than their
# sources, so that a test need not compile all of them again; packages to hand out are built without it.
# They are built from a copy of the tree. On Debian the libraries are Debian's. The program that is built there is therefore the
# one that needs no libraries (`--with static`), and rpm does not check which packages have to be installed first.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
build=$(mkdir -p "${BUILD:-$root/build}/rpm" && cd "${BUILD:-$root/build}/rpm" && pwd)
version=$(sed -n 's/^#define SCOPE_VERSION "\(.*\)"/\1/p' "$root/include/scope/abi.h")
options=()
if command -v apt-get >/dev/null; then
	"$root/scripts/setup.sh" build rpm >&2
	options=(--nodeps --with static)
fi

rm -rf "$build"
mkdir -p "$build/SOURCES"
archive=$build/SOURCES/scope-$version.tar
tar -C "$root" --exclude=./build --exclude=./.git --transform "s,^\.,scope-$version," -cf "$archive" .
if [ -n "${OBJECTS:-}" ]; then
	(cd "$OBJECTS" && find gen user \( -name '*.o' -o -name '*.d' -o -path 'gen/*' \) -type f) |
		tar -C "$OBJECTS" -T - --transform "s,^,scope-$version/build/," -rf "$archive"
fi
gzip -1 "$archive"
unset MAKEFLAGS MFLAGS MAKELEVEL BUILD
rpmbuild -bb "${options[@]}" --define "_topdir $build" --define "scope_version $version" "$root/dkms/scope.spec" >"$build/log" 2>&1 || {
	echo "rpm.sh: building failed; the end of $build/log:" >&2
	tail -n 30 "$build/log" >&2
	exit 1
}
find "$build/RPMS" -name '*.rpm' | sort
