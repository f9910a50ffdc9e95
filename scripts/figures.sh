#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Figures of the code's order: lengths of files and functions, folders and what they use of each other, exported names
# by prefix, words of the documents, files that each addition of docs/howto.md takes.
#
# Usage: scripts/figures.sh [TREE]      TREE: a folder with another version; exports are counted if it is built
set -euo pipefail
cd "${1:-$(dirname "$0")/..}"

lengths() {	# NAME; numbers on standard input
	sort -n | awk -v name="$1" '{ n[NR] = $1 } END {
		printf "%s: %d, median %d, 90th percentile %d, longest %d\n", name, NR, n[int((NR + 1) / 2)], n[int(NR * .9)], n[NR] }'
}
for side in kmod user; do
	find $side -name '*.[ch]' -print0 | xargs -0 wc -l | awk '$2 != "total" { print $1 }' | lengths "$side, lines of a file"
	find $side -name '*.c' -print0 | xargs -0 awk '/^\{$/ { begin = FNR } /^\}/ && begin { print FNR - begin - 1; begin = 0 }' |
		lengths "$side, lines of a function"
done
echo "user, files above 500 lines: $(find user -name '*.[ch]' -print0 | xargs -0 wc -l | awk '$2 != "total" && $1 > 500' | wc -l)"
echo "user, folders: $(find user -mindepth 1 -maxdepth 1 -type d | wc -l); arrows between them by #include:" \
	"$(grep -HoE '^#include "[a-z_0-9]+/' user/*/*.[ch] | sed 's/user\///; s/\/.*"/ /; s/\/$//' | awk '$1 != $2' | sort -u | wc -l)"
if [ -d build/user/user ]; then
	for source in user/*/*.c; do
		object=build/user/${source%.c}.o
		[ ! -e "$object" ] || nm --extern-only --defined-only "$object" | sed "s|^|${source#user/} |"
	done | awk '$NF ~ /^scope_/ && $NF !~ /\./ {
		split($1, path, "/"); all++; count[path[1]]++
		if ($NF ~ "^scope_" path[1] "s?(_|$)") { good++; with[path[1]]++ } }
		END { printf "user, exported names that begin with their folder: %d of %d\n", good, all
		for (f in count) printf "  %s %d of %d\n", f, with[f], count[f] | "sort" }'
fi
echo "docs: $(cat docs/*.md README.md | wc -w) words, man pages $(cat docs/man/* | wc -w)"
sed -nE 's/^<!-- add ([a-z]+) -->$/\1/p' docs/howto.md 2> /dev/null | while read -r kind; do
	echo "files of adding a $kind: $(sed -n "/<!-- add $kind -->/,/<!-- \/add/p" docs/howto.md | grep -c '^| `')"
done
