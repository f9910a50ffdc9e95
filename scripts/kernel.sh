#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Unpack a Debian kernel (image, modules, headers) below build/ for building and booting against.
#
# Usage: scripts/kernel.sh [KEY]        a row of the table below, 6.1 when absent
#        scripts/kernel.sh -l           list the keys
# Result in build/kernels/KEY/, nothing is installed into the system:
#   vmlinux   the ELF image, boots in QEMU by PVH     version  what uname -r says in that kernel
#   modules   its /lib/modules/VERSION, indexed       config   its configuration
#   headers   usable as KDIR: make -C build/kernels/KEY/headers M=... CC="$(cat .../cc)" modules
#   cc        the compiler to build modules with
# The newest version the suite holds is taken; a second run answers from the stamp. To move on to
# a newer point release remove build/kernels/KEY. BUILD= names another build directory.
set -euo pipefail

# key | suites, with the archive each is in | metapackages | compiler
table() {
	cat <<-'ROWS'
	6.1     | debian:bookworm security:bookworm-security | linux-image-amd64 linux-headers-amd64       | gcc-12
	6.1-rt  | debian:bookworm security:bookworm-security | linux-image-rt-amd64 linux-headers-rt-amd64 | gcc-12
	5.10    | security:bullseye-security                 | linux-image-amd64 linux-headers-amd64       | gcc-12
	6.12    | debian:bookworm-backports                  | linux-image-amd64 linux-headers-amd64       | gcc-12
	ROWS
}

die() { echo "kernel.sh: $*" >&2; exit 1; }

keys() { table | cut -d'|' -f1 | xargs; }

# The machine's own Debian mirror when its apt lists name one, the public one otherwise.
mirror_of() {	# debian | security
	local release=bookworm fallback=http://deb.debian.org/debian/
	[ "$1" = debian ] || { release=bookworm-security; fallback=http://deb.debian.org/debian-security/; }
	local found
	# shellcheck disable=SC2016 # apt expands these, not the shell
	found=$(apt-get indextargets --format '$(RELEASE) $(REPO_URI)' 'Created-By: Packages' |
		awk -v r="$release" '$1 == r { print $2; exit }')
	echo "${found:-$fallback}"
}

# A set of apt options that sees only these suites and writes only below $1.
apt_options() {	# DIR SUITES
	local dir=$1 entry
	mkdir -p "$dir/lists/partial" "$dir/cache/archives/partial"
	for entry in $2; do
		echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg arch=amd64]" \
			"$(mirror_of "${entry%%:*}") ${entry#*:} main"
	done >"$dir/sources.list"
	: >"$dir/status"
	apt=(-qq -o "Dir::Etc::sourcelist=$dir/sources.list" -o "Dir::Etc::sourceparts=/dev/null"
		-o "Dir::State::lists=$dir/lists" -o "Dir::State::status=$dir/status"
		-o "Dir::Cache=$dir/cache" -o APT::Architecture=amd64 -o APT::Sandbox::User=root
		-o Acquire::Retries=3)
}

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

unpack() {	# KEY, into $work; $final is where it will stand
	local row suites meta cc deb version
	row=$(table | awk -F'|' -v k="$1" '{ key = $1; gsub(/[ \t]/, "", key) } key == k')
	[ -n "$row" ] || die "no kernel '$1' (known: $(keys))"
	suites=$(cut -d'|' -f2 <<<"$row") meta=$(cut -d'|' -f3 <<<"$row")
	cc=$(cut -d'|' -f4 <<<"$row" | xargs)

	apt_options "$work/apt" "$suites"
	apt-get "${apt[@]}" update || die "cannot read the package lists of$suites: is the mirror reachable?"
	# shellcheck disable=SC2086 # a list of words
	mapfile -t packages < <(kernel_packages $meta)
	[ ${#packages[@]} -gt 0 ] || die "$suites: no packages for $meta"
	echo "kernel $1: ${packages[*]}" >&2
	mkdir "$work/debs" "$work/root"
	(cd "$work/debs" && apt-get "${apt[@]}" download "${packages[@]}") ||
		die "cannot download ${packages[*]}"
	for deb in "$work"/debs/*.deb; do dpkg -x "$deb" "$work/root"; done
	rm -rf "$work/debs" "$work/apt"

	[ -d "$work/root/lib" ] || ln -s usr/lib "$work/root/lib"
	version=$(cd "$work/root/lib/modules" && for d in */kernel; do echo "${d%/kernel}"; done)
	[ -d "$work/root/lib/modules/$version/kernel" ] || die "$1: expected one set of modules, found '$version'"
	extract_vmlinux "$work/root/boot/vmlinuz-$version" "$work/vmlinux"
	relocate "$work/root"
	depmod -b "$work/root" "$version"
	ln -s "root/lib/modules/$version" "$work/modules"
	ln -s "root/usr/src/linux-headers-$version" "$work/headers"
	ln -s "root/boot/config-$version" "$work/config"
	ln -sfn "$final/headers" "$work/root/lib/modules/$version/build"
	echo "$version" >"$work/version"
	echo "$cc" >"$work/cc"
	# Headers hold absolute paths: the stamp goes stale when the tree is moved.
	echo "$final" >"$work/stamp"
}

[ "${1:-}" != -l ] || { keys; exit 0; }
key=${1:-6.1}
root=$(cd "$(dirname "$0")/.." && pwd)
build=$(mkdir -p "${BUILD:-$root/build}/kernels" && cd "${BUILD:-$root/build}" && pwd)
final=$build/kernels/$key

if [ "$(cat "$final/stamp" 2>/dev/null)" != "$final" ]; then
	exec 9>"$build/kernels/.$key.lock"
	flock 9
	if [ "$(cat "$final/stamp" 2>/dev/null)" != "$final" ]; then
		work=$(mktemp -d "$build/kernels/.$key.XXXXXX")
		trap 'rm -rf "$work"' EXIT
		chmod 755 "$work"
		unpack "$key"
		rm -rf "$final"
		mv "$work" "$final"
	fi
fi
echo "$final"
