#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Print the system calls in the compiler's headers, one "[number] = "name"," per line.
#
# Usage: scripts/syscall-table.sh [compat]     compat: "[number in 32-bit programs] = native number + 1,"
#                                              of those that do the same, arguments in the same order
set -eu

# On x86-64 <asm/unistd.h> chooses between ABIs: take the native one.
header=asm/unistd.h
if echo '#include <asm/unistd_64.h>' | ${CC:-gcc} -E - >/dev/null 2>&1; then
	header=asm/unistd_64.h
fi

numbers() {	# HEADER: number and name on each line
	echo "#include <$1>" | ${CC:-gcc} -E -dM - 2>/dev/null |
		sed -n 's/^#define __NR_\([a-z0-9_]*\) \([0-9][0-9]*\)$/\2 \1/p' | sort -n |
		awk '$2 != "syscalls"'
}

if [ "${1:-}" = compat ]; then
	# Other machines have none here. Some calls have another name where words are small.
	if [ "$header" = asm/unistd_64.h ]; then
		{ numbers "$header"; echo --; numbers asm/unistd_32.h; } | awk '
			$1 == "--" { small = 1; next }
			!small { native[$2] = $1; next }
			{ name = $2 }
			name == "_llseek" || name == "socketcall" || name == "ipc" { next }
			name == "_newselect" { name = "select" }
			name == "mmap2" { name = "mmap" }
			name == "fstatat64" { name = "newfstatat" }
			name == "waitpid" { name = "wait4" }
			!(name in native) { sub(/_time64$/, "", name) }
			!(name in native) { sub(/_time32$/, "", name) }
			!(name in native) { sub(/64$/, "", name) }
			!(name in native) { sub(/32$/, "", name) }
			name in native { printf "[%d] = %d,\n", $1, native[name] + 1 }'
	else
		echo '[0] = 0,'
	fi
	exit 0
fi
table=$(numbers "$header" | awk '{ printf "[%d] = \"%s\",\n", $1, $2 }')
if [ -z "$table" ]; then
	echo "syscall-table.sh: no system calls in <$header>; install linux-libc-dev" >&2
	exit 1
fi
echo "$table"
