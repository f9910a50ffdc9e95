#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Build a small kernel from Debian's kernel sources, or a given tree, with a configuration that no Debian kernel has.
#
# Usage: scripts/own-kernel.sh KEY    a row of the table below
#        scripts/own-kernel.sh -l     list the keys
#        scripts/own-kernel.sh -s TREE KEY    from a tree of the user's, 3.10 to the newest, for
#                                     tests/vm/run.sh -k KEY; each call builds again, but continues
#                                     where an interrupted one ended
#        scripts/own-kernel.sh -p TREE KEY    no kernel, only what modules are compiled with: a minute
# The configuration is tinyconfig and the fragments tests/vm/kernel-NAME.config; a line of theirs
# that does not hold in the end is an error; with -s it is named, since old kernels lack some. Result
# in build/kernels/KEY/, whose path is printed:
#   vmlinux or bzImage   boots in QEMU     version, config, cc   as scripts/kernel.sh leaves them
#   root/lib/modules/VERSION, modules      its modules, indexed
#   headers              usable as KDIR   arguments   further arguments of tests/vm/run.sh for the kernel
# It is built again if its row or its fragments change, but not if the tree was moved or copied.
# BUILD= names another build directory.
# Building takes 5 to 10 minutes; a second run answers from the stamp. With -s nothing is written into
# TREE, which has to be clean (make mrproper).
set -euo pipefail
. "$(dirname "$0")/debian.sh"
. "$(dirname "$0")/private-dev.bash"

# key | suites | package | fragments | image
# kunit is also the kernel without eBPF. KASAN kernels reset under PVH: they boot as bzImage.
table() {
	cat <<-'ROWS'
	kunit      | debian:bookworm security:bookworm-security | linux-source-6.1  | base kunit       | vmlinux
	debug      | debian:bookworm security:bookworm-security | linux-source-6.1  | base kunit debug | bzImage
	5.10-nobpf | security:bullseye-security                 | linux-source-5.10 | base             | vmlinux
	ROWS
}

die() { echo "own-kernel.sh: $*" >&2; exit 1; }

keys() { table | cut -d'|' -f1 | xargs -n1; }

# Sources that a vendor changed may need what its own configuration has on.
vendor() { ! grep -qE '^RHEL_MAJOR|Makefile\.rhelver' "$tree/Makefile" || echo ' el'; }

column() {	# KEY NUMBER
	[ -z "$tree" ] || { [ "$2" != 4 ] || echo "base tree$(vendor)"; return; }
	table | awk -F'|' -v k="$1" -v n="$2" '{ key = $1; gsub(/[ \t]/, "", key) } key == k { print $n }' | xargs
}

# One copy of the sources serves all kernels built from them; they build in folders of their own.
unpack_source() {	# PACKAGE SUITES
	local work
	source=$build/kernels/.source-$1
	[ ! -e "$source/Makefile" ] || return 0
	exec 8>"$build/kernels/.lock-$1"
	flock 8
	if [ ! -e "$source/Makefile" ]; then
		work=$(mktemp -d "$build/kernels/.new-$1.XXXXXX")
		echo "own-kernel: unpacking $1" >&2
		debian_apt "$work/apt" "$2"
		debian_unpack "$work/apt" "$work/root" "$1"
		mkdir "$work/source"
		tar -xf "$work/root/usr/src/$1.tar.xz" -C "$work/source" --strip-components=1
		rm -rf "$source"
		mv "$work/source" "$source"
		rm -rf "$work"
	fi
	exec 8>&-
}

fragments() { for name in $(column "$key" 4); do echo "$root/tests/vm/kernel-$name.config"; done; }

# What the kernel's own configuration made of the fragments is not what they say: name it. Where two
# fragments speak of the same option the later one holds.
check_config() {
	local line missing=()
	while read -r line; do
		case $line in
		'# CONFIG_'*' is not set') ! grep -q "^${line:2:-11}=" "$work/.config" || missing+=("$line") ;;
		CONFIG_*) grep -qxF "$line" "$work/.config" || missing+=("$line") ;;
		esac
	done < <(cat $(fragments) | awk -F'[ =]' '/^(# )?CONFIG_/ { said[$1 == "#" ? $2 : $1] = $0 }
		END { for (name in said) print said[name] }')
	[ ${#missing[@]} -gt 0 ] || return 0
	[ -n "$tree" ] || die "$key: this kernel does not take ${missing[*]}"
	printf 'own-kernel: %s: this kernel does not take %s\n' "$key" "${missing[*]}" >&2
}

# shellcheck disable=SC2046 # names of files without spaces
configure() {
	# Before 3.17 the tiny one had no name.
	kmake tinyconfig >/dev/null 2>&1 || kmake allnoconfig >/dev/null 2>&1
	{ cat $(fragments) && echo "CONFIG_LOCALVERSION=\"-$key\""; } >>"$work/.config"
	# That a later line wins is what is wanted.
	kmake olddefconfig 2>&1 | { grep -v 'warning: override: ' || true; } >&2
	check_config
}

kmake() {
	# Kernels before 4.16 do not state to a linker of 2018 that their pages have 2 MB, and do not boot. A header of EL7 defines
	# a function, not inline, where IRQ_REMAP is off.
	make -j2 -s -C "$source" O="$work" CC="$compiler" HOSTCC=gcc-12 KBUILD_BUILD_TIMESTAMP=@0 \
		${tree:+ARCH=x86 "LD=ld -z max-page-size=0x200000 -z muldefs"} \
		${tree:+"HOSTCFLAGS=-O2 -fcommon"} "$@" >&2
}

finish_headers() {
	ln -s obj "$final/headers"
	ln -s obj/.config "$final/config"
	# Of which sources it is, where folders of one name lie in several places.
	[ -z "$tree" ] || echo "$tree" >"$final/tree"
	echo "${module_compiler:-$compiler}" >"$final/cc"
}

# Of the same sources, and not finished: it goes on from there.
was_cut_off() { [ -n "$tree" ] && [ ! -e "$final/cc" ] && [ "$(readlink "$final/obj/source")" = "$tree" ]; }

build_kernel() {
	local version work=$final/obj
	if [ -n "$tree" ]; then source=$tree; else unpack_source "$(column "$key" 3)" "$(column "$key" 2)"; fi
	was_cut_off || rm -rf "$final"
	mkdir -p "$work"
	echo "own-kernel: building $key" >&2
	configure
	if [ -n "$headers_only" ]; then
		kmake modules_prepare
		finish_headers
		return
	fi
	# A vendor may build a module whatever the configuration says, which then lacks what it calls: it is left out at boot.
	kmake bzImage modules ${tree:+KBUILD_MODPOST_WARN=1}
	version=$(cat "$work/include/config/kernel.release")
	kmake modules_install INSTALL_MOD_PATH="$final/root" DEPMOD=true
	depmod -b "$final/root" "$version"
	# What boots under PVH boots faster as vmlinux; kernels before 5.0 do not.
	if [ "$(column "$key" 5)" = vmlinux ] || { [ -n "$tree" ] && grep -q '^CONFIG_PVH=y' "$work/.config"; }; then
		strip -o "$final/vmlinux" "$work/vmlinux"
	else
		cp "$work/arch/x86/boot/bzImage" "$final/bzImage"
	fi
	ln -s "root/lib/modules/$version" "$final/modules"
	finish_headers
	# The overlay of 3.x does not work on 9p, and programs do not start there with SMAP.
	case $version in 3.*) echo 'scope_overlay=off nosmap' >"$final/arguments" ;; esac
	echo "$version" >"$final/version"
	# Building modules needs neither the objects nor vmlinux.
	find "$work" \( -path "$work/scripts" -o -path "$work/tools" \) -prune -o -type f \
		\( -name '*.o' -o -name '*.a' -o -name '.*.cmd' -o -name 'vmlinux*' -o -name bzImage \) \
		-exec rm -f {} +
}

# Where modules are built the tree names its sources by absolute paths. The tools in it do as well, for
# their own making alone, which is over.
move_here() {	# PLACE, where $final stood before
	unpack_source "$(column "$key" 3)" "$(column "$key" 2)"
	sed -i "s,${1%/*}/,$build/kernels/," "$final/obj/Makefile"
	ln -sfn "$source" "$final/obj/source"
}

tree='' compiler=gcc-12 headers_only=''
if { [ "${1:-}" = -s ] || [ "${1:-}" = -p ]; } && [ $# = 3 ]; then
	[ "$1" = -s ] || headers_only=1
	[ -e "$2/Kbuild" ] || die "$2 holds no kernel sources"
	tree=$(cd "$2" && pwd)
	compiler=$(cd "$(dirname "$0")" && pwd)/old-gcc.sh
	module_compiler=$("$compiler" -m)
	shift 2
fi
case ${1:-} in
-l) keys; exit 0 ;;
'' | -*) die "usage: own-kernel.sh -l | KEY | -s TREE KEY | -p TREE KEY" ;;
esac
key=$1
root=$(cd "$(dirname "$0")/.." && pwd)
build=$(mkdir -p "${BUILD:-$root/build}/kernels" && cd "${BUILD:-$root/build}" && pwd)
final=$build/kernels/$key
"$root/scripts/setup.sh" kernel >&2
unset MAKEFLAGS MFLAGS MAKELEVEL CFLAGS CC
if [ -n "$tree" ]; then
	[ ! -e "$final/stamp" ] || die "$key is a kernel of Debian's: take another name for that of $tree"
	build_kernel
	echo "$final"
	exit 0
fi
[ -n "$(column "$key" 1)" ] || die "no kernel '$key' (known: $(keys | xargs))"
made=$(table | grep "^$key " | cat - $(fragments) | sha256sum | cut -c1-16)
stamped() { [ "$(cat "$final/stamp" 2>/dev/null)" = "$final $made" ]; }
if ! stamped; then
	exec 9>"$build/kernels/.lock-$key"
	flock 9
	read -r place was_made 2>/dev/null <"$final/stamp" || place='' was_made=''
	if stamped; then
		:
	elif [ "$was_made" = "$made" ]; then
		move_here "$place"
	else
		build_kernel
	fi
	# Never in place: a copy of the tree may be one of hard links.
	echo "$final $made" >"$final/.stamp"
	mv "$final/.stamp" "$final/stamp"
	exec 9>&-
fi
echo "$final"
