#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The rpm packages, built by rpmbuild and installed in a root directory of their own: they have the same files as `make install` and
# dkms/lay-out.sh, the program runs there and names a bug, all files are unchanged, and no file is left after they are removed.
# Nothing outside that directory changes. What their scripts do (DKMS) is tested by tests/vm/rpm.sh. Objects of the tree's own
# build are used, if they are newer than their sources (without them this takes minutes instead of seconds).
#
# Usage: tests/unit/rpm_root.sh
# Exit status: 0 passed; 1 failed; 77 rpmbuild cannot be had.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
[ "$(id -u)" -eq 0 ] || { echo "skipped: it takes root to enter a root directory"; exit 77; }
command -v rpmbuild > "$work/said" || scripts/setup.sh rpm > "$work/said" 2>&1 ||
	{ echo "skipped: no rpmbuild, which scripts/setup.sh rpm installs"; exit 77; }

# ok WHAT COMMAND...
ok() {
	local what=$1
	shift
	if "$@" > "$work/said" 2>&1; then
		echo "ok - $what"
	else
		echo "not ok - $what"
		tail -n 20 "$work/said" | sed 's/^/    /'
		bad=1
	fi
}

root=$work/root
in_root() { chroot "$root" "$@"; }
of_rpm() { rpm --root "$root" --dbpath /var/lib/rpm "$@"; }

# What a package has to have, by the tree.
wanted() {
	local page
	echo /usr/bin/scope
	echo /usr/bin/scope-report
	for page in docs/man/*.1; do echo "/usr/share/man/man1/$(basename "$page")"; done
	for page in docs/schema/*.json; do echo "/usr/share/scope/$(basename "$page")"; done
	echo /usr/share/bash-completion/completions/scope
	echo /usr/share/bash-completion/completions/scope-report
	echo /usr/share/zsh/site-functions/_scope
	echo /usr/lib/systemd/system/scope-record@.service
	echo /usr/lib/udev/rules.d/60-scope.rules
	echo /etc/modprobe.d/scope.conf
	for page in kmod/*.[chS] kmod/Kbuild include/scope/*.h; do echo "/usr/src/scope-$version/${page#kmod/}"; done
}

brings_its_files() {
	local file missing=0
	while read -r file; do
		# rpm may compress pages.
		[ -e "$root$file" ] || [ -e "$root$file.gz" ] || { echo "$file is missing"; missing=1; }
	done < <(wanted)
	! grep -rl '@BINDIR@' "$root/usr/lib/systemd/system" || missing=1
	return $missing
}

names_a_bug() {
	PYTHONDONTWRITEBYTECODE=1 python3 tests/golden/lock.py > "$root/tmp/lock.text" &&
		in_root /usr/bin/scope dump --reverse /tmp/lock.text -o /tmp/lock.trace &&
		in_root /usr/bin/scope-report -i /tmp/lock.trace > "$work/report" &&
		grep -q '^  Where  *rebalance in server' "$work/report"
}

is_of_version() { [[ "$(in_root /usr/bin/scope --version)" == "scope $version "* ]]; }

leaves_nothing() {
	of_rpm -e --noscripts scope scope-dkms || return 1
	find "$root" -path "$root/var/lib/rpm" -prune -o -path "$root/tmp" -prune -o ! -type d -print | grep . && return 1
	! ls -d "$root"/usr/src/scope-* 2> "$work/none"
}

version=$(sed -n 's/^#define SCOPE_VERSION "\(.*\)"/\1/p' include/scope/abi.h)
mkdir -p "$root/tmp" "$root/var/lib/rpm"
objects=$(realpath "${BUILD:-build}")
[ -e "$objects/user/libscope.a" ] || objects=
ok "rpmbuild makes both packages" env BUILD="$work" OBJECTS="$objects" scripts/rpm.sh
mapfile -t packages < <(find "$work/rpm/RPMS" -name '*.rpm')
[ ${#packages[@]} -eq 2 ] || { echo "not ok - there are ${#packages[@]} packages"; exit 1; }
ok "they install" of_rpm -i --nodeps --noscripts "${packages[@]}"
ok "they bring all files" brings_its_files
ok "the files are as packed" of_rpm -V --nodeps --noscripts scope scope-dkms
ok "the program is of this version" is_of_version
ok "the program names a bug" names_a_bug
ok "nothing is left of them" leaves_nothing
exit $bad
