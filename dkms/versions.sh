# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# For scripts that source it: the versions of scope that DKMS has.

# A line of status is "scope/0.1, KERNEL, ARCHITECTURE: installed", "scope, 0.1, …" before DKMS 3.
scope_versions() {	# [OPTION OF DKMS...]
	dkms "$@" status | sed -n 's,^scope\(/\|\, \)\([^,: ]*\).*,\2,p' | sort -u
}
