# SPDX-License-Identifier: GPL-2.0-only
# Give the scripts of this folder the table of bugs and the places of what is built from it.
bugs_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
servers_dir=${BUILD:-$(cd "$bugs_dir/../.." && pwd)/build}/servers

die() {
	echo "${0##*/}: $*" >&2
	exit 1
}

bug_names() {
	awk -F '\t' '!/^#/ && NF { print $1 }' "$bugs_dir/bugs.tsv"
}

# bug_row NAME: sets bug_server, bug_patch, bug_kind, bug_expect, bug_module and bug_load.
bug_row() {
	local row
	row=$(awk -F '\t' -v name="$1" '!/^#/ && $1 == name' "$bugs_dir/bugs.tsv")
	[ -n "$row" ] || die "unknown bug '$1'; known are: $(bug_names | tr '\n' ' ')"
	IFS=$'\t' read -r _ bug_server bug_patch bug_kind bug_expect bug_module bug_load _ <<<"$row"
}
