#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The part of test_dkms_hosts.sh that runs in a copy of the system: with kernels, headers and DKMS as on a host.
#
# Usage: dkms_host.sh BUILD SUITE      SUITE: whose DKMS
set -uo pipefail

build=$1 suite=$2
root=$(cd "$(dirname "$0")/../.." && pwd)
cd /
export PATH=$build/vm/dkms-$suite/usr/sbin:/usr/sbin:/usr/bin:/sbin:/bin
. "$root/tests/vm/dkms_layouts.sh"
cp -R "$build/vm/dkms-$suite/etc/dkms/." /etc/dkms/ 2>/dev/null
new=$(cat "$build/kernels/6.1/version") old=$(cat "$build/kernels/6.12/version")

failed=0
pass() {	# NAME COMMAND...
	local name="$1 (DKMS of $suite)" start=$SECONDS
	shift
	if "$@" >/tmp/why 2>&1; then
		echo "ok $name ($((SECONDS - start)) s)"
	else
		echo "not ok $name"
		tail -n 30 /tmp/why | sed 's/^/# /'
		failed=1
	fi
}

says_installed() {	# VERSION SCOPE-VERSION
	dkms status | grep -F -e "scope/$2, $1, " -e "scope, $2, $1, " | grep -q ': installed'
}
version=$(sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' "$root/dkms/dkms.conf")

two_kernels_at_once() {
	"$root/dkms/install.sh" && fits "$new" && fits "$old" &&
		says_installed "$new" "$version" && says_installed "$old" "$version"
}

replaces() {	# VERSION
	other_version "$1" /usr/src/project && /usr/src/project/dkms/install.sh -k "$new" && fits "$new" &&
		says_installed "$new" "$1" && [ "$(dkms status | grep -c ^scope)" = 1 ] &&
		[ "$(modinfo -F version "$(module "$new")")" = "$1" ] && [ ! -e "/usr/src/scope-$version" ]
}

is_signed() { [ -n "$(modinfo -F signer "$(module "$new")")" ] || { modinfo "$(module "$new")"; return 1; }; }

# DKMS 2 leaves signing to a tool that the distribution names.
names_a_sign_tool() {
	openssl req -new -x509 -newkey rsa:2048 -nodes -days 2 -subj '/CN=test of the vendor hook/' \
		-keyout /etc/dkms/key -out /etc/dkms/cert -outform DER 2>/dev/null || return 1
	cat >/etc/dkms/sign.sh <<-END
	#!/bin/sh
	exec "$(readlink -f "$build/kernels/6.1/headers")/scripts/sign-file" sha256 /etc/dkms/key /etc/dkms/cert "\$2"
	END
	chmod 755 /etc/dkms/sign.sh
	echo 'sign_tool="/etc/dkms/sign.sh"' >>/etc/dkms/framework.conf
}

# What DKMS itself has no words for is the last line of its log, and install.sh repeats it.
fails_with() {	# PATTERN
	! "$root/dkms/install.sh" -k "$new" >/tmp/said 2>&1 || { echo "it did not fail"; return 1; }
	cat /tmp/said
	grep -q "^scope: $1" /tmp/said && [ "$(grep -c . /tmp/said)" -le 30 ] &&
		tail -n 6 "/var/lib/dkms/scope/$version/build/make.log" | grep -q "^scope: $1"
}

without_a_compiler() {
	local headers status=0
	headers=$(readlink -f "/lib/modules/$new/build")
	mount --bind /dev/null "$headers/.kernelvariables" || return 1
	echo 'CC = gcc-99' >/tmp/variables && mount --bind /tmp/variables "$headers/.kernelvariables"
	fails_with 'the compiler gcc-99 of kernel .* is not installed' || status=1
	umount "$headers/.kernelvariables" "$headers/.kernelvariables"
	return $status
}

without_preparation() {
	local status=0 bare=/usr/src/bare
	mkdir -p $bare/include && echo 'all:' >$bare/Makefile && mv "/lib/modules/$new/build" /lib/modules/kept &&
		ln -s $bare "/lib/modules/$new/build"
	fails_with "$bare is not prepared for building modules\|/lib/modules/$new/build is not prepared" || status=1
	rm -rf $bare && mv -T /lib/modules/kept "/lib/modules/$new/build"
	return $status
}

leaves_nothing() {
	"$root/dkms/remove.sh" && [ -z "$(module "$new")" ] && [ -z "$(module "$old")" ] &&
		[ -z "$(dkms status | grep scope)" ] && ! ls -d /usr/src/scope-* 2>/dev/null
}

if [ "$suite" = bullseye ]; then
	lay_out_el 6.1 "$new"
	lay_out_el 6.12 "$old"
	pass names_a_sign_tool names_a_sign_tool
	pass two_kernels_at_once two_kernels_at_once
	pass is_signed is_signed
	pass without_preparation without_preparation
	pass leaves_nothing leaves_nothing
else
	lay_out_split 6.1 "$new"
	pass installs "$root/dkms/install.sh"
	pass is_signed is_signed
	pass upgrades replaces 9.1
	version=9.1
	pass downgrades replaces 0.0
	version=$(sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' "$root/dkms/dkms.conf")
	pass without_a_compiler without_a_compiler
	pass leaves_nothing leaves_nothing
fi
exit $failed
