#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Check the style of the C sources, or apply it.
#
# Usage: scripts/style.sh [FILE...]     default: all C sources. DIFF=1 prints what clang-format would change; APPLY=1
# (make format) applies it first.
# Errors: any line that clang-format (.clang-format) would write in another way, blanks at a line's end, a line
# indented by 8 spaces, a drawing in a comment that was filled like text, no SPDX line, no newline at the end. Files of
# more than 500 lines and functions of more than 60 are named, and are no errors. clang-format has to be version 14:
# others break lines in other places.
# Exit status: 0 no error; 1 some; 77 no clang-format 14, and no other error.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

files=("$@")
[ $# -gt 0 ] || mapfile -t files < <(git ls-files 'kmod/*.[ch]' 'user/*.[ch]' 'include/*.h' 'tests/*.[ch]')
bad=0
wrong() { echo "style: $*"; bad=1; }

# A message for each line that matches. The first line of a file is asked for its licence.
check_lines() {
	local line
	while read -r line; do wrong "$line"; done < <(
		awk '
			FNR == 1 && !/SPDX-License-Identifier: / { print FILENAME " has no SPDX line" }
			/[ \t]$/ { print FILENAME ":" FNR " ends in a blank" }
			/^\t*         *[^ \\]/ { print FILENAME ":" FNR " is indented by spaces" }
			/^\t* \*.*[a-z0-9].*\+---/ { print FILENAME ":" FNR " has the border of a box after other text: a drawing was filled" }' "${files[@]}"
		for line in "${files[@]}"; do [ -z "$(tail -c 1 "$line")" ] || echo "$line ends without a newline"; done)
}

name_long() {
	awk '
		FNR == 1 { begin = 0; if (file != "" && last > 500) print "style: long: " file " has " last " lines" }
		{ file = FILENAME; last = FNR }
		/^\{$/ { begin = FNR }
		/^\}/ && begin {
			if (FNR - begin > 61)
				print "style: long: " FILENAME ":" begin " begins a function of " FNR - begin - 1 " lines"
			begin = 0
		}
		END { if (last > 500) print "style: long: " file " has " last " lines" }' "${files[@]}"
}

# The program's name, if it is there in the version that counts.
formatter() {
	local name
	for name in clang-format-14 clang-format; do
		! "$name" --version 2> /dev/null | grep -q 'version 14\.' || { echo "$name"; return; }
	done
	return 1
}

check_format() {	# PROGRAM
	local file
	while read -r file; do
		wrong "$file is not as clang-format writes it: make format, or clang-format -i $file"
		[ -z "${DIFF:-}" ] || "$1" --style=file "$file" | diff -u "$file" -
	done < <(printf '%s\n' "${files[@]}" | xargs -n 40 -P 2 "$1" --dry-run --style=file 2>&1 |
		sed -nE 's/^([^: ]+):[0-9]+:[0-9]+: .*/\1/p' | sort -u)
}

if format=$(formatter); then
	[ -z "${APPLY:-}" ] || printf '%s\n' "${files[@]}" | xargs -n 40 -P 2 "$format" -i --style=file
	check_format "$format"
fi
check_lines
name_long
[ $bad -eq 0 ] || exit 1
[ -n "$format" ] || { echo "skipped: clang-format 14 is not there; scripts/setup.sh style installs it"; exit 77; }
echo "style: ${#files[@]} files have it"
