#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A script runs a makefile that removes /dev/null, like the makefile of an older kernel. The device stays.
# Exit status: 0 passed; 1 failed; 77 not root, or no mount namespaces.
set -euo pipefail
cd "$(dirname "$0")/../.."

[ "$(id -u)" -eq 0 ] && unshare --mount true 2>/dev/null || { echo "no mount namespace can be made here"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat > "$work/build.sh" << E
. "$PWD/scripts/private-dev.bash"
rm -f /dev/null
printf '%s|' "\$@"
E
# All of it in a namespace with a /dev of the test's own: the host's device is not at stake.
unset SCOPE_PRIVATE_DEV
unshare --mount bash -s "$work" > "$work/said" 2>&1 << 'E' || { cat "$work/said"; echo "not ok - null stays"; exit 1; }
set -e
mount -t tmpfs none /dev
mknod -m 666 /dev/null c 1 3
bash "$1/build.sh" "a b" c
[ -c /dev/null ]
E
grep -q '^a b|c|' "$work/said" || { echo "not ok - arguments"; cat "$work/said"; exit 1; }
echo "ok - null stays"
for script in own-kernel check-old; do
	grep -q 'private-dev.bash' "scripts/$script.sh" || { echo "not ok - $script.sh does not keep /dev"; exit 1; }
	echo "ok - $script"
done
