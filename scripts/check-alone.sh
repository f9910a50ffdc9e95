#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Compile each header of the module as the only one of a file: it has to include what it uses, since what
# comes through the kernel's own headers differs from kernel to kernel. Part of scripts/check-old.sh.
#
# Usage: scripts/check-alone.sh KDIR DIR    DIR: where scripts/kmod.sh built the module for KDIR
# CC= as for scripts/kmod.sh. Prints a line with the headers that do not compile or warn, nothing where all do;
# what the compiler says comes on stderr.
# Exit status: 0 all compile; 1 not so; 2 usage.
set -uo pipefail

[ $# -eq 2 ] || { sed -n '/^# Usage/,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0" >&2; exit 2; }
root=$(cd "$(dirname "$0")/.." && pwd)
alone=$2/alone
rm -rf "$alone"
# Kernels up to 5.3 write there, and make it for whole modules only.
mkdir -p "$alone/.tmp_versions"

# compat.h comes before the headers of kmod/, as in each source file; nothing before those of compat/. What has
# no guard is a part of the file that includes it.
objects=()
for header in "$root"/kmod/*.h "$root"/kmod/compat/*.h; do
	name=$(basename "$header" .h)
	grep -q '^#ifndef SCOPE_.*_H$' "$header" || continue
	[ ! -e "$alone/$name.c" ] || { echo "two headers are named $name.h"; exit 1; }
	{
		[ "${header%/compat/*}" != "$header" ] || echo '#include "compat.h"'
		echo "#include \"$header\""
	} >"$alone/$name.c"
	objects+=("$name.o")
done
cat >"$alone/Kbuild" <<-KBUILD
	obj-m := ${objects[*]}
	ccflags-y := -I$root/include -I$root/kmod/compat -I$root/kmod -include $2/features.h
KBUILD

unset MAKEFLAGS MFLAGS MAKELEVEL CFLAGS
# Objects, not modules: modpost asks for a licence, and has nothing to link.
make -k -j2 -C "$1" M="$alone" CC="${CC:-gcc}" KBUILD_MODPOST_WARN=1 "${objects[@]}" >"$alone/log" 2>&1
failed=$(for object in "${objects[@]}"; do
	[ -e "$alone/$object" ] && ! grep -q "${object%.o}\.[ch]:[0-9].*warning:" "$alone/log" || echo "${object%.o}.h"
done | xargs)
[ -n "$failed" ] || exit 0
grep -E '\.[ch]:[0-9].*(error|warning):' "$alone/log" >&2
echo "not: $failed"
exit 1
