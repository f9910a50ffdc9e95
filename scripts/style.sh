#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Look at the style of the sources, without a change to them.
#
# Usage: scripts/style.sh [FILE...]     default: all C sources. DIFF=1 prints what clang-format would change, EXACT=1
# calls any such line an error. Of files that differ from a commit alone:
#     EXACT=1 scripts/style.sh $(git diff --name-only --diff-filter=d COMMIT -- '*.c' '*.h')
# An error is what nobody writes on purpose: blanks at a line's end, a line indented by 8 spaces, no SPDX line, no
# newline at the end. Files of more than 500 lines and functions of more than 60 are named. What clang-format
# (.clang-format) would write in another way is counted: hand-made line breaks are often the better ones.
# Exit status: 0 no error; 1 some.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

files=("$@")
[ $# -gt 0 ] || mapfile -t files < <(git ls-files 'kmod/*.[ch]' 'user/*.[ch]' 'include/*.h' 'tests/*.[ch]')
bad=0
wrong() { echo "style: $*"; bad=1; }

check_file() {	# FILE
	local line
	head -n 1 "$1" | grep -q 'SPDX-License-Identifier: ' || wrong "$1 has no SPDX line"
	[ -z "$(tail -c 1 "$1")" ] || wrong "$1 ends without a newline"
	while read -r line; do wrong "$1:$line ends in a blank"; done < <(grep -nE '[[:blank:]]$' "$1" | cut -d: -f1)
	while read -r line; do wrong "$1:$line is indented by spaces"; done < <(grep -nE '^	* {8} *[^ \\]' "$1" | cut -d: -f1)
	line=$(wc -l < "$1")
	[ "$line" -le 500 ] || echo "style: long: $1 has $line lines"
	awk -v file="$1" '/^\{$/ { begin = NR } /^\}/ && begin {
		if (NR - begin > 61) print "style: long: " file ":" begin " begins a function of " NR - begin - 1 " lines"
		begin = 0 }' "$1"
}

for file in "${files[@]}"; do check_file "$file"; done
if command -v clang-format > /dev/null; then
	lines=0 differ=0 others=0
	for file in "${files[@]}"; do
		difference=$(clang-format --style=file "$file" | diff -u "$file" - | tail -n +3)
		count=$(grep -c '^-' <<< "$difference")
		lines=$((lines + $(wc -l < "$file"))) differ=$((differ + count)) others=$((others + (count > 0)))
		[ -z "${DIFF:-}" ] || [ "$count" -eq 0 ] || printf '%s\n' "--- $file" "$difference"
	done
	[ -z "${EXACT:-}" ] || [ "$differ" -eq 0 ] || wrong "clang-format has to be applied: clang-format -i FILE..."
	echo "style: clang-format would change $differ of $lines lines, in $others of ${#files[@]} files"
else
	echo "style: clang-format is not there, its part is left out"
fi
exit $bad
