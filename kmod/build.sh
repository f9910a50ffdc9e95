#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Build scope.ko, and say in one sentence what is missing where that fails: for scripts/kmod.sh and DKMS.
#
# Usage: build.sh KDIR DIR [MAKE-ARGUMENT...]   DIR: the sources, where the objects go as well
# Warnings come on stderr. After a failure DIR/build.log has all that was printed.
# Exit status: 0 built; 1 not so, the last line on stderr says why; 2 wrong usage.
set -uo pipefail

[ $# -ge 2 ] || { sed -n 's/^# \(Usage.*\)/\1/p' "$0" >&2; exit 2; }
kdir=$1 dir=$2
shift 2

stop() { echo "scope: $*" >&2; exit 1; }

# The folder is named by the kernel, or lies in its modules: /usr/src/linux-headers-V, /lib/modules/V/build.
kernel_of() {
	local release
	release=$(sed -n 's/.*UTS_RELEASE "\(.*\)".*/\1/p' "$kdir/include/generated/utsrelease.h" 2>/dev/null)
	[ -n "$release" ] || release=$(sed -n 's,^/lib/modules/\([^/]*\)/.*,\1,p' <<<"$kdir/")
	echo "${release:-that kernel}"
}

headers_package() {
	local release
	release=$(kernel_of)
	[ "$release" != 'that kernel' ] || { echo "install them (linux-headers-VERSION, or kernel-devel-VERSION)"; return; }
	if command -v zypper >/dev/null; then
		echo "install kernel-${release##*-}-devel of version ${release%-*}"
	elif command -v rpm >/dev/null && ! command -v apt-get >/dev/null; then
		echo "install kernel-devel-$release"
	else
		echo "install linux-headers-$release"
	fi
}

compiler_of() {
	local probe compiler
	probe=$(mktemp -d) || return
	# shellcheck disable=SC2016 # make expands it
	printf '$(info scope-cc=$(CC))\nobj-m :=\n' >"$probe/Kbuild"
	compiler=$(make -s -C "$kdir" M="$probe" "$@" clean 2>/dev/null | sed -n 's/^scope-cc=//p' | head -n 1)
	rm -rf "$probe"
	echo "$compiler"
}

check_headers() {
	local compiler
	[ -d "$kdir/" ] || stop "there are no headers of $(kernel_of) in $kdir: $(headers_package)"
	[ -e "$kdir/Makefile" ] || stop "$kdir has no Makefile, so it is no tree of kernel headers: $(headers_package)"
	if [ ! -e "$kdir/include/generated/utsrelease.h" ] || [ ! -e "$kdir/include/generated/autoconf.h" ] ||
		[ ! -e "$kdir/scripts/mod/modpost" ]; then
		stop "$kdir is not prepared for building modules: $(headers_package), or run make modules_prepare there"
	fi
	read -r compiler _ <<<"$(compiler_of "$@")"
	[ -z "$compiler" ] || command -v "$compiler" >/dev/null ||
		stop "the compiler $compiler of kernel $(kernel_of) is not installed: install it, or name" \
			"another by CC="
}

# The cause of a failure, from what was printed: a pattern and the sentence. The first that matches is printed.
causes() {
	local compiler
	compiler=$(sed -n 's/^CONFIG_CC_VERSION_TEXT="\(.*\)"/\1/p' "$kdir/.config" 2>/dev/null)
	cat <<-ROWS
	No space left on device|the disk is full: free some room
	GLIBC_[0-9.]*' not found|the programs that came with the headers of $(kernel_of) want a newer C library than this host's: build on a system of that kernel's age
	Cannot use CONFIG_STACK_VALIDATION|libelf.h is missing: install libelf-dev (Debian, Ubuntu) or elfutils-libelf-devel
	libelf.h: No such file|libelf.h is missing: install libelf-dev (Debian, Ubuntu) or elfutils-libelf-devel
	pahole: .*not found|pahole is missing: install the package pahole or dwarves
	cannot load plugin|the compiler's plugins that came with the headers do not fit: install the kernel's own compiler${compiler:+, $compiler}
	unrecognized command[- ]line option|the compiler is not the kernel's, and does not know an option that the headers ask for: install ${compiler:-that compiler}, or name it by CC=
	code model kernel does not support PIC|this compiler makes position-independent programs: pass CC="gcc -fno-pie"
	ROWS
}

why() {
	local pattern sentence own
	own=$(sed -n 's/.*#error *"\{0,1\}\(scope: .*\)/\1/p;s/^\(scope: .*\)/\1/p' "$dir/build.log" | head -n 1)
	if [ -n "$own" ]; then
		echo "${own%\"}" >&2
		exit 1
	fi
	while IFS='|' read -r pattern sentence; do
		! grep -q -e "$pattern" "$dir/build.log" || stop "$sentence"
	done < <(causes)
	stop "it does not compile for $(kernel_of):" \
		"$(grep -m 1 -E 'error:|undefined!|\*\*\*' "$dir/build.log" || tail -n 1 "$dir/build.log")" \
		"(all of it: $dir/build.log)"
}

check_headers "$@"
if make -s -C "$kdir" M="$dir" "$@" modules >"$dir/build.log" 2>&1; then
	cat "$dir/build.log" >&2
	rm -f "$dir/build.log"
	exit 0
fi
why
