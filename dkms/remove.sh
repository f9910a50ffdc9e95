#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Take scope out of DKMS again: every version, for every kernel, with its sources.
#
# Usage: dkms/remove.sh [--dkmstree DIR --sourcetree DIR --installtree DIR]
# A loaded module stays loaded: rmmod scope ends that. Exit status: 0 nothing is left; 1 not so.
set -euo pipefail

. "$(dirname "$0")/versions.sh"
usage() { sed -n '/^# Usage/,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0" >&2; exit 2; }

source_tree=/usr/src trees=()
while [ $# -gt 0 ]; do
	[ $# -ge 2 ] || usage
	case $1 in
	--dkmstree | --installtree) ;;
	--sourcetree) source_tree=$2 ;;
	*) usage ;;
	esac
	trees+=("$1" "$2")
	shift 2
done
case ${#trees[@]} in
0) remove=(remove) ;;
6) remove=(--no-depmod remove) ;;
*) usage ;;
esac
command -v dkms >/dev/null || { echo "remove.sh: DKMS is not installed: nothing to remove"; exit 0; }

for version in $(scope_versions "${trees[@]}"); do
	dkms "${trees[@]}" "${remove[@]}" "scope/$version" --all
	rm -rf "$source_tree/scope-$version"
done
