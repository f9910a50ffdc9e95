#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Build scope.ko against one tree of kernel headers, outside the source folder.
#
# Usage: scripts/kmod.sh KDIR [MAKE-ARGUMENT...]    prints build/kmod/VERSION/scope.ko
# VERSION is what uname -r says under that kernel.
# CC: the compiler that a file `cc` beside KDIR names (as scripts/kernel.sh leaves it), unless the
# variable CC is set. BUILD= names another build directory.
set -euo pipefail

[ $# -ge 1 ] || { sed -n '/^# Usage/,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0" >&2; exit 2; }
root=$(cd "$(dirname "$0")/.." && pwd)
kdir=$(cd "$1" 2>/dev/null && pwd) || kdir=$1
shift

release=$(sed -n 's/.*UTS_RELEASE "\(.*\)".*/\1/p' "$kdir/include/generated/utsrelease.h" 2>/dev/null) || release=none
if [ "${CC:-cc}" = cc ] || [ "$CC" = gcc ]; then
	CC=$(cat "$(dirname "$kdir")/cc" 2>/dev/null || echo gcc)
fi
out=${BUILD:-$root/build}
mkdir -p "$out/kmod/$release"
out=$(cd "$out/kmod/$release" && pwd)
# Tests that run beside each other all ask for it.
exec 8>"$out/.lock"
flock 8

# Links, not copies: an edit is seen, a removed file is not.
find "$out" -type l ! -exec test -e {} \; -delete
(cd "$root/kmod" && find . -name '*.[chS]' -o -name '*.sh' -o -name '*.mk' -o -name Kbuild) | while read -r file; do
	mkdir -p "$out/$(dirname "$file")"
	ln -sfn "$root/kmod/$file" "$out/$file"
done
ln -sfn "$root/include" "$out/include"

# What an outer make exports (its own flags above all) is not meant for the kernel's makefiles.
unset MAKEFLAGS MFLAGS MAKELEVEL CFLAGS
"$root/kmod/build.sh" "$kdir" "$out" -j2 CC="$CC" "$@"
# Beside whole sources it can be seen what their loader knows. Headers alone come with an assembler of their age.
for loader in "$kdir"/{source/,}arch/x86/kernel/module.c; do
	if [ -e "$loader" ] && ! grep -q R_X86_64_PLT32 "$loader"; then
		"$root/scripts/old-relocs.py" "$out/scope.ko" >/dev/null
	fi
done
echo "$out/scope.ko"
