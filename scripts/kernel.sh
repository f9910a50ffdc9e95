#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Unpack a Debian kernel (image, modules, headers) below build/ for building and booting against.
#
# Usage: scripts/kernel.sh [KEY]               a row of the table below, 6.1 when absent, or one of
#                                              scripts/own-kernel.sh, which then builds it, or one that
#                                              own-kernel.sh -s built
#        scripts/kernel.sh -x KEY COMMAND...   run a command where modules for it can be built
#        scripts/kernel.sh -l                  list the keys of this machine's architecture
# Result in build/kernels/KEY/, whose path is printed; nothing is installed into the system:
#   vmlinux   the ELF image, boots in QEMU by PVH     version  what uname -r says in that kernel
#             (arm64: vmlinuz, as packaged)
#   modules   its /lib/modules/VERSION, indexed       config   its configuration
#   headers   usable as KDIR                          cc       the compiler to build modules with
# To build a module for any row:
#   scripts/kernel.sh -x KEY make -C build/kernels/KEY/headers M=$PWD/... CC=$(cat .../cc) modules
# For another architecture: ARCH=arm64 CROSS_COMPILE=aarch64-linux-gnu- beside it.
# Rows with a builder need a newer system than Debian 12 for that, and -x enters a Debian of that
# name unpacked in build/kernels/.builder-NAME (as root), where only this tree is visible. For the
# other rows -x merely runs the command, and calling make directly does as well.
# The newest version the suite holds is taken; a second run answers from the stamp. To move on to
# a newer point release remove build/kernels/KEY. BUILD= names another build directory.
set -euo pipefail
. "$(dirname "$0")/debian.sh"

# key | suites, with the archive each is in | metapackages | compiler | builder | architecture
# 7.2 is the newest of backports, which goes on to later ones.
table() {
	cat <<-'ROWS'
	5.10    | security:bullseye-security                 | linux-image-amd64 linux-headers-amd64       | gcc-12 |
	6.1     | debian:bookworm security:bookworm-security | linux-image-amd64 linux-headers-amd64       | gcc-12 |
	6.1-rt  | debian:bookworm security:bookworm-security | linux-image-rt-amd64 linux-headers-rt-amd64 | gcc-12 |
	6.12    | debian:bookworm-backports                  | linux-image-amd64 linux-headers-amd64       | gcc-12 |
	6.12-rt | debian:trixie security:trixie-security     | linux-image-rt-amd64 linux-headers-rt-amd64 | gcc-14 | trixie
	7.2     | debian:trixie-backports                    | linux-image-amd64 linux-headers-amd64       | gcc-14 | trixie
	6.1-arm64 | debian:bookworm security:bookworm-security | linux-image-arm64 linux-headers-arm64     | aarch64-linux-gnu-gcc-12 | | arm64
	ROWS
}

die() { echo "kernel.sh: $*" >&2; exit 1; }

keys() { table | awk -F'|' '$6 == "" { print $1 }' | xargs; }

# Metapackages name one version; that version's own packages are what has to be unpacked.
kernel_packages() {	# METAPACKAGE...
	apt-cache "${apt[@]}" depends --recurse --important "$@" | sed 's/.* //' | sort -u |
		grep -E '^linux-(image|binary|modules|base|headers|kbuild)-[0-9]' | grep -v -- -unsigned
}

extract_vmlinux() {	# BZIMAGE OUTPUT
	local sectors offset length unpack
	sectors=$(od -An -tu1 -j $((0x1f1)) -N1 "$1")
	offset=$(od -An -tu4 -j $((0x248)) -N4 "$1")
	length=$(od -An -tu4 -j $((0x24c)) -N4 "$1")
	offset=$(((sectors + 1) * 512 + offset))
	case $(od -An -tx4 -j $offset -N4 "$1") in
	*587a37fd) unpack=xz ;;
	*fd2fb528) unpack=zstd ;;
	*) die "$1: compressed in a way this script does not know" ;;
	esac
	# The last four bytes of the payload are its unpacked size, not part of the stream.
	dd if="$1" bs=1M iflag=skip_bytes,count_bytes skip=$offset count=$((length - 4)) status=none |
		$unpack -dc >"$2"
	[ "$(head -c4 "$2" | tail -c3)" = ELF ] || die "$1: the payload is no ELF image"
}

# Debian's header packages name each other by absolute path: point those into the unpacked tree.
relocate() {	# ROOT
	local root=$1 link target
	for link in "$root"/usr/src/linux-headers-*/Makefile "$root"/usr/src/linux-headers-*/.kernelvariables; do
		[ ! -f "$link" ] || sed -i "s,\([ =]\|^\)/usr/,\1$final/root/usr/,g" "$link"
	done
	find "$root" -type l -lname '/*' | while read -r link; do
		target=$(readlink "$link")
		if [ -e "$root$target" ] || [ -L "$root$target" ]; then ln -sfn "$final/root$target" "$link"; fi
	done
}

# The same once more, after the tree was moved or copied.
move_here() {	# PLACE, where $final stood before
	local link target
	for link in "$final"/root/usr/src/linux-headers-*/Makefile \
		"$final"/root/usr/src/linux-headers-*/.kernelvariables; do
		[ ! -f "$link" ] || sed -i "s,$1/,$final/,g" "$link"
	done
	find "$final/root" -type l -lname "$1/*" | while read -r link; do
		target=$(readlink "$link")
		ln -sfn "$final${target#"$1"}" "$link"
	done
}

column() {	# KEY NUMBER
	table | awk -F'|' -v k="$1" -v n="$2" '{ key = $1; gsub(/[ \t]/, "", key) } key == k { print $n }' | xargs
}

unpack() {	# KEY, into $work; $final is where it will be
	local suites meta version packages tools=() apt name file arch
	suites=$(column "$1" 2) meta=$(column "$1" 3) arch=$(column "$1" 6)
	debian_apt "$work/apt" "$suites" "$arch"
	# shellcheck disable=SC2086 # a list of words
	mapfile -t packages < <(kernel_packages $meta)
	[ ${#packages[@]} -gt 0 ] || die "$suites: no packages for $meta"
	echo "kernel $1: ${packages[*]}" >&2
	# The tools that build modules run here, whatever machine they build for.
	if [ -n "$arch" ]; then
		mapfile -t tools < <(printf '%s\n' "${packages[@]}" | grep kbuild)
		mapfile -t packages < <(printf '%s\n' "${packages[@]}" | grep -v kbuild)
	fi
	debian_unpack "$work/apt" "$work/root" "${packages[@]}"
	if [ -n "$arch" ]; then
		rm -rf "$work/apt"
		debian_apt "$work/apt" "$suites"
		debian_unpack "$work/apt" "$work/root" "${tools[@]}"
	fi
	rm -rf "$work/apt"

	[ -d "$work/root/lib" ] || ln -s usr/lib "$work/root/lib"
	version=$(cd "$work/root/lib/modules" && for d in */kernel; do echo "${d%/kernel}"; done)
	[ -d "$work/root/lib/modules/$version/kernel" ] || die "$1: expected one set of modules, found '$version'"
	# Since 7.x the image and what belongs to it are beside the modules, not in /boot.
	for name in vmlinuz config; do
		file=root/boot/$name-$version
		[ -e "$work/$file" ] || file=root/lib/modules/$version/$name
		[ -e "$work/$file" ] || file=root/usr/src/linux-headers-$version/.$name
		ln -s "$file" "$work/$name"
	done
	[ -n "$arch" ] || extract_vmlinux "$work/vmlinuz" "$work/vmlinux"
	relocate "$work/root"
	depmod -b "$work/root" "$version"
	ln -s "root/lib/modules/$version" "$work/modules"
	ln -s "root/usr/src/linux-headers-$version" "$work/headers"
	ln -sfn "$final/headers" "$work/root/lib/modules/$version/build"
	echo "$version" >"$work/version"
	column "$1" 4 >"$work/cc"
	echo "$final" >"$work/stamp"
}

unpack_builder() {	# SUITE, into $work
	command -v mmdebstrap >/dev/null || "$root/scripts/setup.sh" vm >&2
	echo "kernel: unpacking a Debian $1 to build modules in" >&2
	mmdebstrap --quiet --variant=apt --mode=root --aptopt='Acquire::Retries "3"' \
		--include=gcc-14,make,pahole,libelf1t64,libssl3t64,zlib1g,libc6-dev,kmod,xz-utils \
		"$1" "$work/root" "$(debian_mirror debian)" >&2 || die "cannot unpack a Debian $1"
	echo "$final" >"$work/stamp"
}

stamped() { [ "$(cat "$final/stamp" 2>/dev/null)" = "$final" ]; }

# Have $final made by FUNCTION ARG unless it is there; beside others that want it at the same time.
provide() {	# NAME FUNCTION ARG
	final=$build/kernels/$1
	! stamped || return 0
	exec 9>"$build/kernels/.lock-$1"
	flock 9
	if stamped; then
		:
	elif [ -s "$final/stamp" ]; then
		move_here "$(cat "$final/stamp")"
		# Never in place: a copy of the tree may be one of hard links.
		echo "$final" >"$final/.stamp"
		mv "$final/.stamp" "$final/stamp"
	else
		work=$(mktemp -d "$build/kernels/.new-$1.XXXXXX")
		chmod 755 "$work"
		"$2" "$3"
		rm -rf "$final"
		mv "$work" "$final"
		work=''
	fi
	exec 9>&-
}

# Mounts are made in a name space of their own, and go with the command.
run_in_builder() {	# SUITE COMMAND...
	[ "$(id -u)" -eq 0 ] || die "building for $key enters a Debian $1: run it as root"
	provide ".builder-$1" unpack_builder "$1"
	shift
	# shellcheck disable=SC2016 # the inner shells expand these
	exec unshare -m --propagation private sh -euc '
		new=$1 cwd=$2 root=$3 build=$4; shift 4
		mount --rbind /dev "$new/dev"
		mount -t proc proc "$new/proc"
		for dir in "$root" "$build"; do
			mkdir -p "$new$dir"
			mount --rbind "$dir" "$new$dir"
		done
		exec chroot "$new" sh -euc "cd \"\$1\"; shift; exec \"\$@\"" sh "$cwd" "$@"
	' sh "$final/root" "$PWD" "$root" "$build" "$@"
}

command=''
case ${1:-} in
-l) keys; exit 0 ;;
-x) command=1; shift; [ $# -ge 2 ] || die "usage: kernel.sh -x KEY COMMAND..." ;;
-*) die "usage: kernel.sh [-l | [-x] KEY [COMMAND...]]" ;;
esac
key=${1:-6.1}
root=$(cd "$(dirname "$0")/.." && pwd)
if [ -z "$(column "$key" 1)" ]; then
	own=$("$root/scripts/own-kernel.sh" -l)
	# What own-kernel.sh -s built from a tree of the user's is there, or is not.
	given=${BUILD:-$root/build}/kernels/$key
	if grep -qx -e "$key" <<<"$own"; then
		[ -n "$command" ] || exec "$root/scripts/own-kernel.sh" "$key"
		"$root/scripts/own-kernel.sh" "$key" >&2
	elif [ -e "$given/tree" ] && [ -e "$given/version" ]; then
		[ -n "$command" ] || { (cd "$given" && pwd); exit 0; }
	else
		die "no kernel '$key' (known: $(keys) $(xargs <<<"$own"))"
	fi
	shift
	exec "$@"
fi
build=$(mkdir -p "${BUILD:-$root/build}/kernels" && cd "${BUILD:-$root/build}" && pwd)
work=''
trap '[ -z "$work" ] || rm -rf "$work"' EXIT

provide "$key" unpack "$key"
if [ -n "$command" ]; then
	shift
	builder=$(column "$key" 5)
	[ -z "$builder" ] || run_in_builder "$builder" "$@"
	exec "$@"
fi
echo "$final"
