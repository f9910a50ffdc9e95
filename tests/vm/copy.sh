#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Run a command in a copy of this system. Changes stay in memory and are lost when the command ends.
#
# Usage: copy.sh FOLDER... -- COMMAND [ARG...]
# FOLDERs are not copied, on any file system: changes to them stay. Needs root.
set -euo pipefail

folders=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do folders+=("$1"); shift; done
[ $# -ge 2 ] || { sed -n 's/^# \(Usage.*\)/\1/p' "$0" >&2; exit 2; }
shift
# shellcheck disable=SC2016 # the inner shell expands these
exec unshare -m --propagation private bash -euc '
	mount -t tmpfs tmpfs /mnt
	mkdir /mnt/upper /mnt/work /mnt/root
	mount -t overlay overlay -o lowerdir=/,upperdir=/mnt/upper,workdir=/mnt/work /mnt/root
	mount --rbind /dev /mnt/root/dev
	mount -t proc proc /mnt/root/proc
	for folder in "${@:2:$1}"; do mkdir -p "/mnt/root$folder" && mount --rbind "$folder" "/mnt/root$folder"; done
	shift $(($1 + 1))
	exec chroot /mnt/root "$@"
' sh ${#folders[@]} "${folders[@]}" "$@"
