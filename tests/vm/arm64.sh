#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Cross-compile scope.ko and the static scope for arm64; run the module's tests, and a report on a program
# with a planted bug, on an emulated arm64 machine.
#
# Usage: tests/vm/arm64.sh [TEST...]   names of tests/kmod/run.sh; default: those in `tests` below
# The kernel is scripts/kernel.sh 6.1-arm64, Debian's. All files of the guest are in its initramfs:
# a shell, busybox, scopetest, scope and that program, all linked statically. LIMIT_S= seconds until it is ended (900). Prints
# ok or not ok for each step and test; the guest's console stays in build/arm64/console.
# Exits 1 where a step or test failed, the compiler or the kernel warned, or the guest died.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/scripts/debian.sh"
. "$root/tests/vm/warnings.sh"

tests=(smoke stack_copy stack_chain stack_limit refuse)
[ $# -eq 0 ] || tests=("$@")
out=$(mkdir -p "${BUILD:-$root/build}/arm64" && cd "${BUILD:-$root/build}/arm64" && pwd)

fail() { echo "not ok arm64 $1 - $2"; exit 1; }

# Libraries to link against, and the guest's shell and tools.
provide_user_land() {
	local apt
	[ ! -e "$out/user/stamp" ] || return 0
	rm -rf "$out/user" "$out/apt"
	debian_apt "$out/apt" "debian:bookworm security:bookworm-security" arm64
	debian_unpack "$out/apt" "$out/user" bash-static busybox-static libnl-3-dev libnl-genl-3-dev \
		libelf-dev libdw-dev libzstd-dev libdeflate-dev zlib1g-dev liblzma-dev libbz2-dev libjansson-dev \
		libsqlite3-dev libiberty-dev
	rm -rf "$out/apt"
	touch "$out/user/stamp"
}

# Build everything again, because files that are built already do not print their warnings again.
build_module() {
	local log=$out/module.log
	rm -rf "${out%/arm64}/kmod/$(cat "$kernel/version")"
	module=$(ARCH=arm64 CROSS_COMPILE=aarch64-linux-gnu- \
		"$root/scripts/kmod.sh" "$kernel/headers" 2>"$log") ||
		fail compile "$(grep -m1 error "$log" || tail -n 1 "$log")"
	! grep -q warning "$log" || fail compile "$(grep -m1 warning "$log")"
	echo "ok arm64 compile"
}

# make with the libraries above.
make_arm64() {	# ARGUMENT...
	local lib=lib/aarch64-linux-gnu
	PKG_CONFIG_LIBDIR=$out/user/usr/$lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$out/user \
		make -s BUILD="$out" CC="aarch64-linux-gnu-gcc -static -L$out/user/$lib -L$out/user/usr/$lib \
		-isystem $out/user/usr/include -isystem $out/user/usr/include/aarch64-linux-gnu" "$@"
}

build_programs() {
	make_arm64 -C "$root/tests/kmod" >"$out/program.log" 2>&1 || fail program "$(grep -m1 error "$out/program.log")"
	make_arm64 -C "$root" -j2 static >"$out/static.log" 2>&1 || fail static "$(grep -m1 error "$out/static.log")"
	aarch64-linux-gnu-gcc -static -g -O2 -Wall -Wextra -o "$out/planted" "$root/tests/vm/planted.c" \
		2>"$out/planted.log" || fail planted "$(grep -m1 error "$out/planted.log")"
	echo "ok arm64 static"
}

build_initramfs() {
	local dir=$out/initramfs
	rm -rf "$dir"
	mkdir -p "$dir"/{bin,dev,proc,sys,tmp,scope/tests/{kmod,vm},scope/build/kmod}
	cp "$out/user/bin/busybox" "$dir/bin/busybox"
	cp "$out/user/bin/bash-static" "$dir/bin/bash"
	cp "$root/tests/vm/arm64_init.sh" "$dir/init"
	chmod 755 "$dir/init"
	cp "$root/tests/kmod/run.sh" "$dir/scope/tests/kmod/"
	cp "$root/tests/vm/arm64_report.sh" "$dir/scope/tests/vm/"
	cp "$out/kmod/scopetest" "$dir/scope/build/kmod/"
	cp "$module" "$dir/scope/scope.ko"
	cp "$out/static/scope" "$out/planted" "$dir/scope/"
	mknod "$dir/dev/console" c 5 1
	(cd "$dir" && find . | cpio --quiet -o -H newc) >"$out/initramfs.cpio"
}

# PSCI ends the guest; where it hangs, timeout does. pauth-impdef: with the architecture's own cipher
# emulation spends most of its time signing return addresses, and the tests miss their times.
boot() {
	local words=${tests[*]}
	timeout -k 5 "${LIMIT_S:-900}" qemu-system-aarch64 -M virt -cpu max,pauth-impdef=on -accel tcg,thread=single -smp 2 \
		-m 1024 -nodefaults -no-user-config -display none -no-reboot \
		-kernel "$kernel/vmlinuz" -initrd "$out/initramfs.cpio" -serial "file:$out/console" \
		-append "console=ttyAMA0 loglevel=7 panic=-1 oops=panic vm_tests=${words// /,}" \
		</dev/null >"$out/qemu.log" 2>&1 || true
	tr -d '\r' <"$out/console" >"$out/log" 2>/dev/null || cp "$out/qemu.log" "$out/log"
}

"$root/scripts/setup.sh" vm arm64
kernel=$("$root/scripts/kernel.sh" 6.1-arm64)
provide_user_land
build_module
build_programs
build_initramfs
boot
grep -E '^(ok|not ok|#) ' "$out/log" || true
if sed '1,/scope-vm: command starts/d' "$out/log" | grep -E -m1 -A40 "$warnings" >"$out/warning"; then
	cat "$out/warning" >&2
	fail kernel_log "the kernel warned: $(head -n 1 "$out/warning")"
fi
status=$(sed -n 's/^scope-vm: status //p' "$out/log")
[ -n "$status" ] || fail guest "it did not reach its end: $(tail -n 1 "$out/log")"
echo "ok arm64 kernel_log"
exit "$status"
