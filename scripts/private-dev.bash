# SPDX-License-Identifier: GPL-2.0-only
# Sourced by scripts that run makefiles of kernels. Old kernels call programs with the output /dev/null that remove
# their output first. Run as root, these would remove the device. In a mount namespace of the script's own /dev/null
# is a mount point, which cannot be removed.
if [ "$(id -u)" -eq 0 ] && [ -z "${SCOPE_PRIVATE_DEV:-}" ] && unshare --mount true 2>/dev/null; then
	export SCOPE_PRIVATE_DEV=1
	exec unshare --mount sh -c 'mount --bind /dev/null /dev/null && exec "$@"' sh "$BASH" "$0" "$@"
fi
