# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# For scripts that source it: fetch packages of any Debian suite without touching the system.
#
# All lists, caches and status files are in a directory that the caller names and removes.

# The machine's own Debian mirror when its apt lists name one, the public one otherwise.
debian_mirror() {	# debian | security
	local release=bookworm fallback=http://deb.debian.org/debian/
	[ "$1" = debian ] || { release=bookworm-security; fallback=http://deb.debian.org/debian-security/; }
	local found
	# shellcheck disable=SC2016 # apt expands these, not the shell
	found=$(apt-get indextargets --format '$(RELEASE) $(REPO_URI)' 'Created-By: Packages' |
		awk -v r="$release" '$1 == r { print $2; exit }')
	echo "${found:-$fallback}"
}

# Sets the array apt: options that see only SUITES (words ARCHIVE:SUITE) and write only below DIR.
debian_apt() {	# DIR SUITES [ARCHITECTURE]
	local dir=$1 architecture=${3:-amd64} entry
	mkdir -p "$dir/lists/partial" "$dir/cache/archives/partial"
	for entry in $2; do
		echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg arch=$architecture]" \
			"$(debian_mirror "${entry%%:*}") ${entry#*:} main"
	done >"$dir/sources.list"
	: >"$dir/status"
	apt=(-qq -o "Dir::Etc::sourcelist=$dir/sources.list" -o "Dir::Etc::sourceparts=/dev/null"
		-o "Dir::State::lists=$dir/lists" -o "Dir::State::status=$dir/status"
		-o "Dir::Cache=$dir/cache" -o "APT::Architecture=$architecture"
		-o "APT::Architectures=$architecture" -o APT::Sandbox::User=root
		-o Acquire::Retries=3)
	apt-get "${apt[@]}" update || {
		echo "${0##*/}: cannot read the package lists of $2: is the mirror reachable?" >&2
		return 1
	}
}

# Unpacks packages into ROOT. After debian_apt(), with the same DIR.
debian_unpack() {	# DIR ROOT PACKAGE...
	local dir=$1 target=$2 deb
	shift 2
	mkdir -p "$dir/debs" "$target"
	(cd "$dir/debs" && apt-get "${apt[@]}" download "$@") || {
		echo "${0##*/}: cannot download $*" >&2
		return 1
	}
	for deb in "$dir"/debs/*.deb; do dpkg -x "$deb" "$target"; done
	rm -rf "$dir/debs"
}
