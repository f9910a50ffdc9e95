#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# scripts/check-words.py finds a word of its table in comments, printed text and documents of each kind of file, in
# no other text, and allows no more uses than its list has. This list does not grow.
#
# Usage: tests/unit/words.sh
set -euo pipefail
cd "$(dirname "$0")/../.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

same() {	# NAME EXPECTED FOUND
	if [ "$2" = "$3" ]; then echo "ok $1"; else printf 'not ok %s: expected "%s", found "%s"\n' "$1" "$2" "$3"; failed=1; fi
}

top=$PWD
tree=$work/tree
mkdir -p "$tree/scripts"
git -C "$tree" init -q
printf 'plan(s|ted)\tput\nhalf a word\twhole\n' > "$tree/scripts/words.tsv"
printf '# head\n' > "$tree/scripts/words-allowed.tsv"

# Each file has the word as code, where it is not looked for, and in what people read.
printf 'int planted;\n/* Half a\n * word. */\nchar c = %s, *s = "is planted";\n' "'\"'" > "$tree/a.c"
printf 'planted=1\necho "${#planted} is Planted" # all\n' > "$tree/b.sh"
printf 'planted = 1\ndef f():\n    """Says\n    plans."""\n' > "$tree/c.py"
printf 'planted:\n\ttrue # is planted\n' > "$tree/Makefile"
printf 'A `planted` [page](planted.md).\n\n```\nplanted\n```\nunplanted, planted-out, planted\n' > "$tree/d.md"
printf '.TH X\nIs planted.\n' > "$tree/e.1"
git -C "$tree" add -A

words() { "$top/scripts/check-words.py" "$@" "$tree"; }

words > "$work/found" && status=0 || status=$?
same "uses are an error" 1 "$status"
same "each use is found" "$(sort <<'END'
a.c:2: "Half a word": write whole
a.c:4: "planted": write put
b.sh:2: "Planted": write put
c.py:4: "plans": write put
Makefile:2: "planted": write put
d.md:6: "planted": write put
e.1:2: "planted": write put
END
)" "$(sort "$work/found")"

rm "$tree"/[bcde].* "$tree/Makefile"
printf '# head\na.c\thalf a word\t1\na.c\tplan(s|ted)\t1\n' > "$tree/scripts/words-allowed.tsv"
words > "$work/found" && status=0 || status=$?
same "allowed uses are no error" "0 " "$status $(cat "$work/found")"
echo '// planted' >> "$tree/a.c"
words > "$work/found" && status=0 || status=$?
same "one more use is an error" "1 2" "$status $(grep -c '"planted": write put' "$work/found")"
cp "$tree/scripts/words-allowed.tsv" "$work/before"
words --lower > "$work/found" || true
same "--lower adds nothing" "" "$(diff "$work/before" "$tree/scripts/words-allowed.tsv")"
echo 'int x;' > "$tree/a.c"
words > "$work/found" && status=0 || status=$?
same "a row that allows too much is an error" "1 2" "$status $(grep -c 'that are allowed' "$work/found")"
words --lower > "$work/found"
same "--lower removes it" "# head" "$(cat "$tree/scripts/words-allowed.tsv")"

# Lower this number with the list. It is never raised.
most=120
allowed=$(awk -F '\t' '!/^#/ { sum += $3 } END { print sum + 0 }' scripts/words-allowed.tsv)
same "the list has not grown" "yes" "$([ "$allowed" -le "$most" ] && echo yes || echo "$allowed")"
exit "$failed"
