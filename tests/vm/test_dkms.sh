#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Show that DKMS builds, installs and removes the module, and that what it built loads.
#
# Usage: tests/vm/test_dkms.sh [-k KEY]      kernel as for run.sh (6.1)
# Works in trees of its own below build/. Prints "ok NAME" or "not ok NAME" for each test; exits 1
# if any failed, 77 with the reason if it cannot run.
set -euo pipefail

kernel=6.1
while getopts k: option; do
	case $option in
	k) kernel=$OPTARG ;;
	*) sed -n 's/^# \(Usage.*\)/\1/p' "$0" >&2; exit 2 ;;
	esac
done
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)

skip() { echo "skipped: $*"; exit 77; }
[ "$(id -u)" -eq 0 ] || skip "DKMS wants root"
"$root/scripts/setup.sh" dkms vm || skip "the packages it needs cannot be installed"
unpacked=$("$root/scripts/kernel.sh" "$kernel") || skip "kernel $kernel cannot be unpacked"
# DKMS takes the compiler that the headers name, not the one that kernel.sh would use instead.
cc=$(sed -n 's/^CC = .*)//p' "$unpacked/headers/.kernelvariables")
command -v "$cc" >/dev/null || skip "kernel $kernel is built with $cc, which is not installed here"

build=$(cd "${BUILD:-$root/build}" && pwd)
work=$(mktemp -d "$build/vm/dkms.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 143' INT TERM HUP
version=$(cat "$unpacked/version")
mkdir -p "$work/dkms" "$work/source" "$work/install/$version" "$work/install/3.2.0"
trees=(--dkmstree "$work/dkms" --sourcetree "$work/source" --installtree "$work/install")

# DKMS may make a signing key in /var/lib/dkms: it makes this one instead, which goes with it.
apart() { unshare -m --propagation private sh -c 'mount -t tmpfs tmpfs /var/lib/dkms && exec "$@"' sh "$@"; }
install_for() {
	apart "$root/dkms/install.sh" -k "$1" --kernelsourcedir "$unpacked/headers" "${trees[@]}" && return
	cat "$work"/dkms/scope/*/build/make.log
	return 1
}
installed() { find "$work/install/$1" -name 'scope.ko*'; }

installs() {
	install_for "$version" && [ "$(installed "$version" | wc -l)" = 1 ] &&
		[[ $(dkms "${trees[@]}" status) =~ (^|$'\n')scope/[^$'\n']*,\ $version,\ [^$'\n']*:\ installed ]]
}

names_its_kernel() { [ "$(modinfo -F vermagic "$(installed "$version")" | cut -d' ' -f1)" = "$version" ]; }

loads() {
	"$here/run.sh" -k "$kernel" -t 300 -- \
		sh -c "insmod $(installed "$version") && test -c /dev/scope && rmmod scope"
}

installs_again() { installs; }

passes_over_old_kernel() {
	install_for 3.2.0 | tee "$work/said" && grep -q 'not for 3.2.0' "$work/said" &&
		[ -z "$(installed 3.2.0)" ]
}

refuses_half_the_trees() {
	! "$root/dkms/install.sh" --dkmstree "$work/dkms" 2>"$work/said" && grep -q Usage "$work/said"
}

removes() {
	installs && apart "$root/dkms/remove.sh" "${trees[@]}" && [ -z "$(installed "$version")" ] &&
		[ -z "$(ls "$work/source")" ] && [ -z "$(dkms "${trees[@]}" status)" ]
}

failed=0
for name in installs names_its_kernel loads installs_again passes_over_old_kernel \
	refuses_half_the_trees removes; do
	if "$name" >"$work/log" 2>&1; then
		echo "ok $name"
	else
		echo "not ok $name"
		sed 's/^/# /' "$work/log"
		failed=1
	fi
done
exit $failed
