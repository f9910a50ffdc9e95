# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # build and kernel are the caller's
# Scripts source this file, with $build (absolute) and $kernel set: other modules to measure in addition to Scope's.

# Path of a module with empty probes.
empty_module() {
	local dir=$build/bench/$kernel
	mkdir -p "$dir"
	cp -u tests/bench/empty.c "$dir/"
	echo 'obj-m := empty.o' >"$dir/Kbuild"
	scripts/kernel.sh -x "$kernel" make -s -C "$build/kernels/$kernel/headers" M="$dir" \
		CC="$(cat "$build/kernels/$kernel/cc")" modules >&2
	echo "$dir/empty.ko"
}

# Directory of LTTng's, from the newest sources that Debian has: those of Debian 12 do not compile on its
# own kernel any more.
lttng_modules() {
	local lttng=$build/bench/lttng-$kernel
	if [ ! -e "$lttng/built" ]; then
		mkdir -p "$lttng"
		debian_apt "$lttng/apt" "debian:sid"
		debian_unpack "$lttng/apt" "$lttng/root" lttng-modules-dkms
		scripts/kernel.sh -x "$kernel" make -s -j2 -C "$build/kernels/$kernel/headers" \
			M="$(echo "$lttng"/root/usr/src/lttng-modules-*)" CONFIG_LTTNG=m \
			CC="$(cat "$build/kernels/$kernel/cc")" modules >"$lttng/log" 2>&1 || {
			echo "${0##*/}: LTTng's modules do not compile, the end of $lttng/log:" >&2
			tail -n 20 "$lttng/log" >&2
			return 1
		}
		touch "$lttng/built"
	fi
	echo "$lttng"/root/usr/src/lttng-modules-*
}

scope_module() { scripts/kernel.sh -x "$kernel" scripts/kmod.sh "$build/kernels/$kernel/headers"; }
