#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Write the page's style and scripts as C strings, with the hash of each that a browser checks it by.
#
# Usage: scripts/embed.sh FOLDER [LIBRARY...]      of it: *.css, and *.js in the order of their names
# Before these come the *.min.css and *.min.js of each library, a folder with a LICENSE, which goes into the page as well.
# Prints a header with SCOPE_PAGE_STYLE, _SCRIPT, and _STYLE_HASH, _SCRIPT_HASH ("sha256-…", as CSP has it).
# Lines with a licence alone are left out.
set -euo pipefail

folder=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Each script is inside one function: no name of it is global.
{
	for library; do cat "$library"/dist/*.min.css; done
	cat "$folder"/*.css | sed '/SPDX-License-Identifier/d'
} > "$work/STYLE"
{
	for library; do
		! grep -q '\*/' "$library/LICENSE" || { echo "embed.sh: the licence of $library ends a comment" >&2; exit 1; }
		printf '/*! %s\n' "$(basename "$library")"
		cat "$library/LICENSE"
		echo ' */'
	done
	echo '"use strict";(function () {'
	for library; do cat "$library"/dist/*.iife.min.js; done
	cat "$folder"/*.js | sed '/SPDX-License-Identifier/d'
	echo '})();'
} > "$work/SCRIPT"

for part in STYLE SCRIPT; do
	# What ends the element early would end it in the page as well.
	! grep -qi '</s[ct]' "$work/$part" || { echo "embed.sh: $part closes its own element" >&2; exit 1; }
	# shellcheck disable=SC2059 # the format is the bytes
	echo "#define SCOPE_PAGE_${part}_HASH \"sha256-$(
		printf "$(sha256sum "$work/$part" | cut -d' ' -f1 | sed 's/../\\x&/g')" | base64)\""
	echo "static const char SCOPE_PAGE_$part[] ="
	sed 's/\\/\\\\/g; s/"/\\"/g; s/?/\\?/g; s/\t/\\t/g; s/^/\t"/; s/$/\\n"/' "$work/$part"
	echo "	;"
done
