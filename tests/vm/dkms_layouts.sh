# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# For scripts that source it in a copy of the system (copy.sh): kernels and headers as a host has them, and
# a DKMS without anything in it. build is to be the project's build directory.

for folder in /usr/src /usr/lib/modules /var/lib/dkms /etc/dkms; do
	mkdir -p $folder && mount -t tmpfs tmpfs $folder
done

# One tree, as kernel-devel of EL has it, in the place it has there.
lay_out_el() {	# KEY VERSION
	local headers place=/usr/src/kernels/$2
	headers=$(readlink -f "$build/kernels/$1/headers")
	mkdir -p "$place" "/lib/modules/$2"
	cp -RL "${headers%-amd64}-common/." "$place/"
	cp -RL "$headers/include" "$headers/arch" "$place/"
	cp "$headers/.config" "$headers/Module.symvers" "$place/"
	cp "$headers/.kernelvariables" "$place/" 2>/dev/null
	ln -s "$place" "/lib/modules/$2/build"
}

# Sources and objects apart, as Debian, Ubuntu and SUSE have them; SUSE also names the sources.
lay_out_split() {	# KEY VERSION
	local headers
	headers=$(readlink -f "$build/kernels/$1/headers")
	mkdir -p "/lib/modules/$2"
	ln -s "$headers" "/lib/modules/$2/build"
	ln -s "${headers%-amd64}-common" "/lib/modules/$2/source"
}

module() { find "/lib/modules/$1" -name 'scope.ko*'; }	# VERSION
fits() { [ "$(modinfo -F vermagic "$(module "$1")" | cut -d' ' -f1)" = "$1" ]; }	# VERSION

# A copy of the project as another version, below DIR.
other_version() {	# VERSION DIR
	rm -rf "$2"
	mkdir -p "$2"
	tar -C "$root" --exclude=./build --exclude=./.git -cf - . | tar -C "$2" -xf -
	sed -i "s/\(SCOPE_VERSION \)\"[^\"]*\"/\1\"$1\"/" "$2/include/scope/abi.h"
	sed -i "s/^PACKAGE_VERSION=.*/PACKAGE_VERSION=\"$1\"/" "$2/dkms/dkms.conf"
}
