#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Hand the module's sources to DKMS, which builds scope.ko now and again with every new kernel.
#
# Usage: dkms/install.sh [OPTION...]
#   -k, --kernel VERSION    build for this kernel; may be repeated (default: all with headers)
#   --kernelsourcedir DIR   headers to use, with exactly one -k
#   --dkmstree DIR, --sourcetree DIR, --installtree DIR
#                           as in dkms(8), all three or none: with them the system's own trees are
#                           left alone and depmod is not run; DIR/VERSION must exist in the last
# Whatever version DKMS has already, newer or older, is replaced. The module is not loaded.
# Exit status: 0 installed for every kernel it fits; 1 not so; 2 wrong usage.
set -euo pipefail

die() { echo "install.sh: $*" >&2; exit 1; }
usage() { sed -n '/^# Usage/,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0" >&2; exit 2; }

root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/dkms/versions.sh"
dkms_tree=/var/lib/dkms source_tree=/usr/src install_tree=/lib/modules
kernels=() trees=() headers=()
# DKMS changes its directory before it uses the path.
absolute() { (cd "$1" 2>/dev/null && pwd) || die "there is no directory $1"; }
while [ $# -gt 0 ]; do
	[ $# -ge 2 ] || usage
	case $1 in
	-k | --kernel) kernels+=("$2") ;;
	--kernelsourcedir) path=$(absolute "$2"); headers=(--kernelsourcedir "$path") ;;
	--dkmstree) dkms_tree=$(absolute "$2"); trees+=("$1" "$dkms_tree") ;;
	--sourcetree) source_tree=$(absolute "$2"); trees+=("$1" "$source_tree") ;;
	--installtree) install_tree=$(absolute "$2"); trees+=("$1" "$install_tree") ;;
	*) usage ;;
	esac
	shift 2
done
case ${#trees[@]} in 0 | 6) ;; *) usage ;; esac
[ ${#headers[@]} -eq 0 ] || [ ${#kernels[@]} -eq 1 ] || usage
command -v dkms >/dev/null || die "DKMS is not installed: as root run apt-get install dkms"
[ ${#trees[@]} -ne 0 ] || [ "$(id -u)" -eq 0 ] || die "run it as root: it writes to $source_tree"

version=$(sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' "$root/dkms/dkms.conf")

if [ ${#kernels[@]} -eq 0 ]; then
	for dir in "$install_tree"/*/; do
		[ ! -e "$dir/build/include" ] || kernels+=("$(basename "$dir")")
	done
	[ ${#kernels[@]} -gt 0 ] || die "no kernel in $install_tree has headers:" \
		"install them (apt-get install linux-headers-$(uname -r))"
fi

for other in $(scope_versions "${trees[@]}"); do
	dkms "${trees[@]}" remove "scope/$other" --all >/dev/null || die "DKMS keeps scope $other"
	rm -rf "$source_tree/scope-$other"
done
place=$source_tree/scope-$version
"$root/dkms/lay-out.sh" "$place"
dkms "${trees[@]}" add "scope/$version" >/dev/null || die "DKMS does not take $place"

[ ${#trees[@]} -eq 0 ] || trees+=(--no-depmod)
failed=0
for kernel in "${kernels[@]}"; do
	status=0
	dkms "${trees[@]}" "${headers[@]}" install "scope/$version" -k "$kernel" || status=$?
	case $status in
	0) echo "scope $version: installed for $kernel" ;;
	77 | 9) echo "scope $version: not for $kernel (see BUILD_EXCLUSIVE in dkms/dkms.conf)" ;;
	*)
		echo "scope $version: FAILED for $kernel; DKMS names its log above" >&2
		# Its last words say what is missing.
		grep -h '^scope: ' "$dkms_tree/scope/$version/build/make.log" >&2 2>/dev/null || true
		failed=1
		;;
	esac
done
exit $failed
