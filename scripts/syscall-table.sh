#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Print the system calls the compiler's headers know, one "[number] = "name"," per line.
set -eu

# On x86-64 <asm/unistd.h> chooses between ABIs: take the native one.
header=asm/unistd.h
if echo '#include <asm/unistd_64.h>' | ${CC:-gcc} -E - >/dev/null 2>&1; then
	header=asm/unistd_64.h
fi
table=$(echo "#include <$header>" | ${CC:-gcc} -E -dM - |
	sed -n 's/^#define __NR_\([a-z0-9_]*\) \([0-9][0-9]*\)$/\2 \1/p' | sort -n |
	awk '$2 != "syscalls" { printf "[%d] = \"%s\",\n", $1, $2 }')
if [ -z "$table" ]; then
	echo "syscall-table.sh: no system calls in <$header>; install linux-libc-dev" >&2
	exit 1
fi
echo "$table"
