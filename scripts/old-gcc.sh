#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Compile a kernel that is older than the compiler, for scripts/own-kernel.sh -s.
#
# Usage: scripts/old-gcc.sh GCC-ARGUMENT...    compile a part of the kernel
#        scripts/old-gcc.sh -m                 print what compiles a module for it
# The language is that of the compilers of its time, unless the kernel names another. Up to 4.6 every test
# for an option fails silently with a compiler that makes PIE by default. In the kernel, but not in modules,
# warnings of a newer compiler do not stop the build, even if the kernel's own makefiles use -Werror.
# Assemblers before 2.26 left a jump to a global symbol to the linker, in five bytes. Up to 4.0 the table of the
# early exception handlers needs that length, and the kernel halts at its first page fault without it: -mshared.
# Assemblers since 2.36 leave out the symbol of a section that nothing refers to. The kernel's recordmcount then
# stops at a file whose functions are all weak: such a file is compiled again, without calls of the function tracer.
here=$(cd "$(dirname "$0")" && pwd)
options="-std=gnu89 -fno-pie -Wno-attributes -idirafter $here/old-include"
[ "$*" != -m ] || { echo "gcc-12 $options"; exit 0; }
case " $* " in
*.S\ *) options="$options -Wa,-mshared" ;;
esac

# shellcheck disable=SC2086 # several options
compile() { gcc-12 $options "$@" -w -Wno-error; }

compile "$@" || exit
case " $* " in
*\ -pg\ *\ -c\ *) ;;
*) exit 0 ;;
esac
before='' object=''
for argument; do
	[ "$before" != -o ] || object=$argument
	before=$argument
	shift
	[ "$argument" = -pg ] || set -- "$@" "$argument"
done
nm "$object" | awk '{ seen[$(NF - 1)] = 1 } END { exit !(seen["W"] && !seen["T"] && !seen["t"]) }' || exit 0
compile "$@"
