#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Show that the Debian packages install on a clean Debian 12, that the module they bring is built there
# and loads, and that nothing is left after they are removed.
#
# Usage: tests/vm/deb.sh      after scripts/deb.sh
# As root: it unpacks a Debian below build/. Prints "ok NAME" or "not ok NAME" for each test; exits 1
# if any failed, 77 with the reason if it cannot run.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
. "$root/scripts/debian.sh"

skip() { echo "skipped: $*"; exit 77; }
[ "$(id -u)" -eq 0 ] || skip "unpacking a Debian takes root"
"$root/scripts/setup.sh" deb vm || skip "the packages it needs cannot be installed"
build=$(cd "${BUILD:-$root/build}" && pwd)
ls "$build"/deb/scope_*.deb "$build"/deb/scope-dkms_*.deb >/dev/null 2>&1 ||
	skip "there are no packages in $build/deb: run make deb"

mkdir -p "$build/vm"
work=$(mktemp -d "$build/vm/deb.XXXXXX")
clean=$work/root
trap 'rm -rf "$work"' EXIT
trap 'exit 143' INT TERM HUP

# Kept for the next run: a Debian 12 as its installer makes it, but smaller.
base=$build/vm/debian-12.tar
if [ ! -s "$base" ]; then
	{
		echo "deb $(debian_mirror debian) bookworm main"
		echo "deb $(debian_mirror security) bookworm-security main"
	} | mmdebstrap --quiet --variant=minbase --mode=root --format=tar --aptopt='Acquire::Retries "3"' bookworm \
		"$base.new" - >&2 || skip "no Debian 12 can be unpacked"
	mv "$base.new" "$base"
fi
mkdir -p "$clean"
tar -C "$clean" -xf "$base"
chmod 755 "$work"
mkdir "$clean/packages"
cp "$build"/deb/*.deb "$clean/packages/"

# Mounts are made in a namespace of their own, and end with the command.
inside() {
	# shellcheck disable=SC2016 # the inner shell expands these
	unshare -m --propagation private sh -euc '
		mount --rbind /dev "$1/dev"
		mount -t proc proc "$1/proc"
		mount -t sysfs -o ro sysfs "$1/sys"
		cp /etc/resolv.conf "$1/etc/resolv.conf" 2>/dev/null || true
		root=$1; shift
		exec chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive \
			http_proxy="${http_proxy:-}" "$@"
	' sh "$clean" "$@"
}

installs() {
	inside apt-get update -qq &&
		inside sh -c 'apt-get install -y linux-headers-amd64 /packages/*.deb' &&
		inside dpkg --audit
}

module() { find "$clean/lib/modules" -name 'scope.ko*' -path '*dkms*'; }

builds_the_module() { inside dkms status | tee "$work/said" && grep -q '^scope/.*: installed' "$work/said" && [ -n "$(module)" ]; }

# The file of a compressed module is unpacked as modprobe would.
loads() {
	local version
	version=$(modinfo -F vermagic "$(module)" | cut -d' ' -f1)
	if [ "$version" != "$(cat "$build/kernels/6.1/version")" ]; then
		echo "built for $version: remove build/kernels/6.1 to boot that"
		return 1
	fi
	cp "$(module)" "$work/"
	[ ! -e "$work/scope.ko.xz" ] || xz -d "$work/scope.ko.xz"
	"$here/run.sh" -k 6.1 -t 300 -- sh -c "
		insmod $work/scope.ko &&
		mount --bind /proc $clean/proc && mount --bind /sys $clean/sys && mount --bind /dev $clean/dev &&
		chroot $clean scope doctor && chroot $clean scope status && rmmod scope"
}

doctor_names_headers() {
	local status=0
	inside scope doctor >"$work/said" || status=$?
	cat "$work/said"
	[ $status -le 1 ] && grep -q 'linux-headers-\|headers of kernel' "$work/said"
}

brings_its_files() {
	local file
	for file in usr/bin/scope-report lib/udev/rules.d/60-scope.rules etc/modprobe.d/scope.conf \
		lib/systemd/system/scope-record@.service; do
		[ -e "$clean/$file" ] || { echo "$file is missing"; return 1; }
	done
	! grep -r @BINDIR@ "$clean/lib/systemd/system/scope-record@.service"
}

installs_again() { inside sh -c 'apt-get install -y --reinstall /packages/*.deb' && builds_the_module; }

leaves_nothing() {
	inside apt-get purge -y scope scope-dkms || return 1
	(cd "$clean" && find etc usr/bin usr/share usr/src lib/modules/ lib/udev lib/systemd var/lib/dkms \
		-path 'usr/src/linux-*' -prune -o \( -name 'scope*' -o -name '*-scope.*' \) -print) >"$work/said"
	cat "$work/said"
	[ ! -s "$work/said" ]
}

failed=0
for name in installs brings_its_files builds_the_module loads doctor_names_headers installs_again \
	leaves_nothing; do
	start=$SECONDS
	if "$name" >"$work/log" 2>&1; then
		echo "ok $name ($((SECONDS - start)) s)"
	else
		echo "not ok $name"
		tail -n 30 "$work/log" | sed 's/^/# /'
		failed=1
	fi
done
exit $failed
