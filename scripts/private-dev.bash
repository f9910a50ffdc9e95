# SPDX-License-Identifier: GPL-2.0-only
# Sourced by scripts that run the makefiles of other people's kernels: those of old ones have programs write to /dev/null
# that remove their output first, and as root that removes the device. In a mount namespace of the script's own
# it is a mount point, which cannot be removed.
if [ "$(id -u)" -eq 0 ] && [ -z "${SCOPE_PRIVATE_DEV:-}" ] && unshare --mount true 2>/dev/null; then
	export SCOPE_PRIVATE_DEV=1
	exec unshare --mount sh -c 'mount --bind /dev/null /dev/null && exec "$@"' sh "$BASH" "$0" "$@"
fi
