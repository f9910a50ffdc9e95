#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Figures of the code's order: lengths of files and functions, folders and their dependencies, circles, exported
# names by prefix, words of the documents, the number of listed words that are left, and the files that each addition
# of docs/howto.md takes.
#
# Usage: scripts/figures.sh [TREE]      TREE: a folder with another version, which need not be built
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
# Folders or files that reach themselves. Rows on standard input: the user, the used.
circles() {
	awk '{ use[$1, $2] = 1; seen[$1]; seen[$2] } END {
		for (k in seen) for (i in seen) if ((i, k) in use) for (j in seen) if ((k, j) in use) use[i, j] = 1
		for (i in seen) if ((i, i) in use) { n++; names = names " " i }
		printf "%d%s\n", n, n ? " (" names " )" : "" }'
}
echo "user, folders in circles by #include: $(grep -HoE '^#include "[a-z_0-9]+/' user/*/*.[ch] |
	sed 's/user\///; s/\/.*"/ /; s/\/$//' | awk '$1 != $2' | sort -u | circles)"
echo "kmod, files (FILE.c and FILE.h as one) in circles by #include: $(grep -HoE '^#include "[a-z_0-9]+\.h"' kmod/*.[chS] |
	sed 's/^kmod\///; s/\.[chS]:#include "/ /; s/\.h"$//' | awk '$1 != $2' | sort -u | circles)"
echo "kmod, pairs that use each other and say why (docs/architecture.md): $(
	sed -n '/<!-- kmod-pairs -->/,/<!-- \/kmod-pairs/p' docs/architecture.md 2> /dev/null | grep -c '^| `')"
# Functions and tables that leave their file, by their definitions. base/ is everyone's: its names have no folder.
grep -HoE '^[a-z][a-z_0-9 *]*\bscope_[a-z_0-9]+(\(|\[|;| =)' user/*/*.c | grep -v ':static' |
	sed -E 's,^user/([a-z]+)/[^:]*:.*\b(scope_[a-z_0-9]+)[^a-z_0-9]*$,\1 \2,' | sort -u | awk '
		{ all++; count[$1]++; if ($2 ~ "^scope_" $1 "s?(_|$)") { good++; with[$1]++ } }
		END { printf "user, exported names that begin with their folder: %d of %d\n", good, all
		for (f in count) printf "  %s %d of %d\n", f, with[f], count[f] | "sort" }'
echo "docs: $(cat docs/*.md README.md | wc -w) words, man pages $(cat docs/man/* | wc -w)"
[ ! -e scripts/words-allowed.tsv ] ||
	echo "words with a plainer one that are left: $(awk -F '\t' '!/^#/ { sum += $3 } END { print sum + 0 }' scripts/words-allowed.tsv)"
sed -nE 's/^<!-- add ([a-z]+) -->$/\1/p' docs/howto.md 2> /dev/null | while read -r kind; do
	echo "files of adding a $kind: $(sed -n "/<!-- add $kind -->/,/<!-- \/add/p" docs/howto.md | grep -c '^| `')"
done
