#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Build the demo servers from their Debian source packages, one build per known bug.
#
# Usage: tests/bugs/build.sh [NAME...]      default: every name in bugs.tsv
# Leaves build/servers/NAME/ with the server's programs, not stripped. A stamp (version, patch,
# flags, this script) makes a second run immediate. Every bug starts from a copy of one built
# healthy tree, so only the objects a patch touches are compiled again.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

cflags="-g -O2"
jobs=$(nproc)
[ "$jobs" -le 2 ] || jobs=2

# A private set of package lists: the system's own sources stay as they are.
apt_private() {
	local apt=$servers_dir/apt${bug_suite:+-$bug_suite}
	mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
	local signed='[signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]'
	cat >"$apt/sources.list" <<-EOF
	deb-src $signed http://deb.debian.org/debian ${bug_suite:-bookworm} main
	deb-src $signed http://deb.debian.org/debian-security ${bug_suite:-bookworm}-security main
	EOF
	cat >"$apt/apt.conf" <<-EOF
	Dir::Etc::SourceList "$apt/sources.list";
	Dir::Etc::SourceParts "-";
	Dir::State::Lists "$apt/lists";
	Dir::Cache "$apt/cache";
	APT::Sandbox::User "root";
	EOF
	APT_CONFIG=$apt/apt.conf apt-get -qq "$@"
}

# fetch SERVER: downloads its newest source package once, or an older one where a mirror lists what it
# does not have yet.
fetch() {
	local version
	mkdir -p "$servers_dir/src"
	compgen -G "$servers_dir/src/$1_*.dsc" >/dev/null && return 0
	echo "servers: fetching the source of $1"
	apt_private update
	for version in $(APT_CONFIG=$servers_dir/apt/apt.conf apt-cache showsrc --only-source "$1" |
		awk '/^Version:/ { print $2 }' | sort -rVu); do
		(cd "$servers_dir/src" && apt_private source --download-only "$1=$version") && return 0
		rm -f "$servers_dir/src/$1_${version#*:}.dsc"
	done
	die "no source package of $1: is the Debian archive reachable?"
}

# fetch_tarball SERVER: downloads the sources as their authors released them, without Debian's changes.
fetch_tarball() {
	local version
	mkdir -p "$servers_dir/src"
	compgen -G "$servers_dir/src/$1_*.orig.tar.?z" >/dev/null && return 0
	echo "servers: fetching the source of $1"
	apt_private update
	for version in $(APT_CONFIG=$servers_dir/apt${bug_suite:+-$bug_suite}/apt.conf \
		apt-cache showsrc --only-source "$1" | awk '/^Version:/ { print $2 }' | sort -rVu); do
		(cd "$servers_dir/src" && apt_private source --download-only --tar-only "$1=$version") && return 0
	done
	die "no source of $1: is the Debian archive reachable?"
}

configure_memcached() {
	./configure --quiet --disable-docs --disable-coverage CFLAGS="$cflags"
}

configure_lighttpd() {
	./configure --quiet --disable-dependency-tracking --without-pcre2 --without-zlib \
		--without-bzip2 CFLAGS="$cflags"
}

make_memcached() {
	make -s -j"$jobs" memcached
}

# Only the server and the one module it does not have built in. There is no dependency tracking:
# the patches touch no header.
make_lighttpd() {
	make -s -C src parsers versionstamp
	make -s -j"$jobs" -C src lighttpd mod_ssi.la
}

install_memcached() {
	cp memcached "$1/"
}

install_lighttpd() {
	cp src/lighttpd src/.libs/mod_ssi.so "$1/"
}

# base_tree SERVER: the healthy tree, unpacked, configured and compiled once.
base_tree() {
	local server=$1 base=$servers_dir/base/$1 dsc
	if [ -n "$bug_tarball" ]; then
		dsc=$(compgen -G "$servers_dir/src/${server}_*.orig.tar.?z" | tail -n 1)
	else
		dsc=$(ls "$servers_dir/src/$server"_*.dsc | tail -n 1)
	fi
	local stamp
	stamp="$(basename "$dsc") $cflags $(type "configure_$server" "make_$server" | sha256sum)"
	[ "$(cat "$base.stamp" 2>/dev/null)" != "$stamp" ] || return 0
	echo "servers: building $(basename "$dsc" .dsc)"
	mkdir -p "$servers_dir/base"
	rm -rf "$base" "$base.stamp"
	if [ -n "$bug_tarball" ]; then
		mkdir -p "$base" && tar -xf "$dsc" -C "$base" --strip-components 1 >"$base.log" 2>&1
	else
		dpkg-source --no-check --no-copy -x "$dsc" "$base" >"$base.log" 2>&1
	fi && (cd "$base" && "configure_$server" && "make_$server") >>"$base.log" 2>&1 ||
		die "building $server failed: see $base.log"
	echo "$stamp" >"$base.stamp"
}

build_own() {
	local name=$1 out=$servers_dir/$1 stamp
	stamp="${own_flags[*]} $cflags $(cat "${own_sources[@]}" "$bugs_dir"/own/*.h | sha256sum)"
	[ "$(cat "$out/stamp" 2>/dev/null)" != "$stamp" ] || return 0
	echo "servers: building $name ($bug_server)"
	mkdir -p "$out"
	# shellcheck disable=SC2086
	cc -std=gnu11 -D_GNU_SOURCE -Wall -Wextra $cflags "${own_flags[@]}" -o "$out/$bug_server" \
		"${own_sources[@]}" -pthread || die "building $name failed"
	echo "$stamp" >"$out/stamp"
}

build_one() {
	local name=$1 out=$servers_dir/$1 tree=$servers_dir/tree-$1 patch=/dev/null
	bug_row "$name"
	! bug_own || { build_own "$name"; return; }
	! bug_packaged || return 0
	bug_recipe "$bug_server"
	[ "$bug_patch" = - ] || patch=$bugs_dir/$bug_patch.patch
	if [ -n "$bug_tarball" ]; then fetch_tarball "$bug_server"; else fetch "$bug_server"; fi
	base_tree "$bug_server"
	local stamp
	stamp="$(cat "$servers_dir/base/$bug_server.stamp") $(sha256sum <"$patch") \
		$(type "install_$bug_server" | sha256sum)"
	[ "$(cat "$out/stamp" 2>/dev/null)" != "$stamp" ] || return 0
	echo "servers: building $name ($bug_server)"
	rm -rf "$tree" "$out"
	mkdir -p "$out"
	if [ "$bug_patch" = - ]; then
		tree=$servers_dir/base/$bug_server
	else
		cp -a "$servers_dir/base/$bug_server" "$tree"
	fi
	(cd "$tree" && { [ "$bug_patch" = - ] || {
		patch -s -p1 --no-backup-if-mismatch <"$patch" && "make_$bug_server"; }; } &&
		"install_$bug_server" "$out") >"$out.log" 2>&1 ||
		die "building $name failed: see $out.log"
	[ "$bug_patch" = - ] || rm -rf "$tree"
	echo "$stamp" >"$out/stamp"
}

# build_tool SOURCE: a program that runs beside the servers.
build_tool() {
	local src=$bugs_dir/$1 bin
	bin=$servers_dir/$(basename "$1" .c)
	[ "$bin" -nt "$src" ] || cc -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -O2 -g -o "$bin" "$src" -lm
}

mkdir -p "$servers_dir"
# Two runs at once would build into the same trees.
exec 9>"$servers_dir/.lock"
flock 9
[ $# -gt 0 ] || set -- $(bug_names)
build_tool mcload.c
build_tool own/helper.c
for name in "$@"; do
	build_one "$name"
done
