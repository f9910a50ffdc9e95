#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Show that the rpm packages install, that the module they bring is built by DKMS, stays through a new
# installation, an upgrade and a downgrade, and that no file is left after they are removed.
#
# Usage: tests/vm/rpm.sh      after scripts/rpm.sh
# In a copy of this system whose changes stay in memory, as root; rpm does not check the requirements of the packages,
# because it does not know Debian's packages. Prints "ok NAME" or "not ok NAME" for each test; exits 1 if
# any failed, 77 with the reason if it cannot run.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)

if [ "${1:-}" != in-copy ]; then
	skip() { echo "skipped: $*"; exit 77; }
	[ "$(id -u)" -eq 0 ] || skip "a copy of the system takes root"
	"$root/scripts/setup.sh" rpm dkms vm || skip "the packages it needs cannot be installed"
	build=$(cd "${BUILD:-$root/build}" && pwd)
	ls "$build"/rpm/RPMS/noarch/scope-dkms-*.rpm >/dev/null 2>&1 || skip "there are no packages in $build/rpm: run make rpm"
	"$root/scripts/kernel.sh" 6.1 >/dev/null || skip "kernel 6.1 cannot be unpacked"
	exec "$here/copy.sh" "$root" "$build" -- "$here/rpm.sh" in-copy "$build"
fi

set +e
build=$2
cd /
. "$here/dkms_layouts.sh"
version=$(cat "$build/kernels/6.1/version")
own=$(sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' "$root/dkms/dkms.conf")
lay_out_el 6.1 "$version"
packages=$(find "$build/rpm/RPMS" -name '*.rpm')

has() {	# SCOPE-VERSION
	fits "$version" && [ "$(modinfo -F version "$(module "$version")")" = "$1" ] &&
		[ "$(dkms status | grep -c '^scope')" = 1 ] && scope --version | grep -q "^scope $1 "
}

# shellcheck disable=SC2086 # several files
installs() { rpm -i --nodeps $packages && has "$own"; }

brings_its_files() {
	local file
	for file in /usr/bin/scope-report /usr/lib/udev/rules.d/60-scope.rules /etc/modprobe.d/scope.conf \
		/usr/lib/systemd/system/scope-record@.service /usr/share/man/man1/scope.1*; do
		[ -e "$file" ] || { echo "$file is missing"; return 1; }
	done
	! grep @BINDIR@ /usr/lib/systemd/system/scope-record@.service
}

# shellcheck disable=SC2086
installs_again() { rpm -U --replacepkgs --nodeps $packages && has "$own"; }

upgrades() {
	local newer=/usr/src/newer
	other_version 9.1 $newer && BUILD=$newer/build $newer/scripts/rpm.sh >/dev/null &&
		find $newer/build/rpm/RPMS -name '*.rpm' -exec rpm -U --nodeps {} + && has 9.1
}

# shellcheck disable=SC2086
downgrades() { rpm -U --oldpackage --nodeps $packages && has "$own"; }

leaves_nothing() {
	rpm -e scope scope-dkms && [ -z "$(module "$version")" ] && [ -z "$(dkms status)" ] &&
		! ls -d /usr/bin/scope* /usr/src/scope-* /etc/modprobe.d/scope* /usr/share/man/man1/scope* 2>/dev/null
}

failed=0
for name in installs brings_its_files installs_again upgrades downgrades leaves_nothing; do
	start=$SECONDS
	if "$name" >/tmp/log 2>&1; then
		echo "ok $name ($((SECONDS - start)) s)"
	else
		echo "not ok $name"
		tail -n 30 /tmp/log | sed 's/^/# /'
		failed=1
	fi
done
exit $failed
