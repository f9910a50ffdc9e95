#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A finding's lines of source: their shares, inlined lines, and their text if it may be shown; never the text of a link,
# of a file that changed, or of a file that is not readable by all.
#
# Usage: tests/unit/source_lines.sh      SCOPE= names the program (default build/san/scope)
. "$(dirname "$0")/begin.bash"

# A program with the functions of the golden trace. The loop of find_item is hot, at two places: mark_loop, and
# mark_walk in a function that is inlined there. Three stacks of four are at the first.
cat >"$work/server.c" <<'C'
#define MARK(name) __asm__ volatile(".globl " #name "\n" #name ": nop")
#define ROOM __asm__ volatile(".rept 300\nnop\n.endr")

struct item { struct item *next; int key; };

static inline __attribute__((always_inline)) int walk(const struct item *item)
{
	MARK(mark_walk); /* in walk */
	return item->key;
}

int find_item(const struct item *item, int key)
{
	int steps = 0;

	for (; item; item = item->next) { /* a very long chain */
		MARK(mark_loop); /* @ESC@ the hot line */
		steps += walk(item) != key;
	}
	ROOM;
	return steps;
}

int parse(int length) { ROOM; return length; }
int reply(int length) { ROOM; return length; }
int read_request(int length) { ROOM; return length; }
int handle(const struct item *item) { ROOM; return find_item(item, parse(1)) + 1; }
int event_loop(const struct item *item) { ROOM; return handle(item) + 1; }
int main_loop(const struct item *item) __asm__("main");
int main_loop(const struct item *item) { ROOM; return event_loop(item) + 1; }
C
sed -i "s/@ESC@/$(printf '\033')[31m/" "$work/server.c"
gcc -O2 -g -fno-inline-functions -shared -fPIC -Wl,--build-id=none -o "$work/server" "$work/server.c"
loop_line=$(grep -n 'MARK(mark_loop)' "$work/server.c" | cut -d: -f1)
walk_line=$(grep -n 'MARK(mark_walk)' "$work/server.c" | cut -d: -f1)
call_line=$(grep -n 'steps += walk' "$work/server.c" | cut -d: -f1)
for_line=$(grep -n 'for (; item' "$work/server.c" | cut -d: -f1)

PYTHONDONTWRITEBYTECODE=1 python3 tests/golden/cpu.py >"$work/cpu.text"
python3 - "$work" >"$work/text" <<'PY'
"""The golden trace with addresses of the compiled program in the place of made-up ones."""
import os, re, subprocess, sys, time

work, base = sys.argv[1], 0x7F0000000000
at = {}
for row in subprocess.run(["nm", work + "/server"], capture_output=True, text=True).stdout.splitlines():
    if len(row.split()) == 3:
        at[row.split()[2]] = int(row.split()[0], 16)
for row in subprocess.run(["readelf", "-lW", work + "/server"], capture_output=True, text=True).stdout.splitlines():
    if row.split()[:1] == ["LOAD"] and " R E " in row:
        offset, virtual, _, _, bytes_ = (int(word, 16) for word in row.split()[1:6])
print("meta wall_clock_ns %d" % (time.time_ns() + 1_000_000_000))
print("map 100 %#x %#x %#x x %s/server -" % (base + virtual, base + virtual + (bytes_ + 4095) // 4096 * 4096, offset, work))
old, hits = {}, 0
for line in open(work + "/cpu.text"):
    words = line.split()
    if words[0] == "sym" and words[6] == "program":
        old[int(words[2], 16)] = words[4]
        continue

    def place(found):
        global hits
        address = int(found.group(), 16)
        name = old.get(address & ~0xFF)
        if not name:
            return found.group()
        if name == "find_item":
            hits += 1
            return hex(base + at["mark_loop" if hits % 4 else "mark_walk"])
        return hex(base + at[name] + 0x40 + (address & 0xF))

    print(re.sub(r"0x[0-9a-f]+", place, line) if words[0].isdigit() and ("stack" in words or "sample" in words) else line, end="")
PY
"$scope" dump --reverse "$work/text" -o "$work/trace"
report() { "$scope" report -i "$work/trace" -v >"$work/report"; "$scope" report -i "$work/trace" --format json >"$work/json"; }
fact() { python3 -c 'import json, sys
print(eval(sys.argv[2], {"f": json.load(open(sys.argv[1]))["findings"][0]}))' "$work/json" "$1"; }

report
same "the finding" find_item "$(fact 'f["function"]["name"]')"
same "shares of lines" "$loop_line 75 '', $call_line 25 '', $walk_line 25 'walk'" \
	"$(fact '", ".join("%d %d %r" % (l["line"], round(100 * l["share"]), l["inlined"]) for l in f["source_lines"] if l["share"])')"
same "the loop" "server.c $for_line $call_line '' 100" \
	"$(fact '"%s %d %d %r %d" % (f["source_loop"]["file"].rsplit("/")[-1], f["source_loop"]["first"], f["source_loop"]["last"], f["source_loop"]["inlined"], round(100 * f["source_loop"]["share"]))')"
same "the loop in the text" 1 "$(grep -c "^     loop        server.c:$for_line-$call_line (100 %)$" "$work/report")"
same "what is around the hot line, without a share" 1 "$(grep -c "^ *$((loop_line - 1))  *for (; item; item = item->next)" "$work/report")"
same "text of the hot line" 1 "$(grep -cE "^ +75 % +$loop_line +MARK\(mark_loop\);" "$work/report")"
same "the inlined function" 1 "$(grep -c 'server.c, inlined: walk$' "$work/report")"
same "nothing for a terminal to act on" 0 "$(grep -c "$(printf '\033')" "$work/report" || true)"
"$scope" report -i "$work/trace" >"$work/screen"
same "the loop on the first screen" 1 "$(grep -c "^  Where       find_item in server, server.c:$loop_line, loop of lines $for_line-$call_line$" "$work/screen")"
same "the first screen has 15 lines at most" yes "$([ "$(wc -l <"$work/screen")" -le 15 ] && echo yes)"

# Whose text is not shown, and why.
hidden() {	# WHAT WHY
	report
	same "$1" "$2" "$(fact 'f["source_lines_why"]')"
	same "$1: no text" "[]" "$(fact '[l["text"] for l in f["source_lines"] if l["text"] is not None]')"
	same "$1: the shares stay" 75 "$(fact 'round(100 * max(l["share"] for l in f["source_lines"]))')"
}
mv "$work/server.c" "$work/kept.c"
hidden "a source that is gone" "the source is not here"
same "a source that is gone is no news" 0 "$(grep -c 'the source is' "$work/report" || true)"
ln -s kept.c "$work/server.c"
hidden "a link" "the source's name leads to no regular file"
same "a link is named in the text" 1 "$(grep -c "name leads to no regular file" "$work/report")"
rm "$work/server.c"
mkfifo "$work/server.c"
hidden "a FIFO" "the source's name leads to no regular file"
rm "$work/server.c"
cp -p "$work/kept.c" "$work/server.c"
touch -d '+1 hour' "$work/server.c"
hidden "a source that changed" "the source was changed after the trace was taken"
head -n 3 "$work/kept.c" >"$work/server.c"
touch -r "$work/kept.c" "$work/server.c"
hidden "a short one" "the source is shorter than the line number"
cp -p "$work/kept.c" "$work/server.c"
chmod 600 "$work/server.c"
hidden "a private one" "not everybody may read the source"
mv "$work/server" "$work/kept"
report
same "no loop without the program's file" None "$(fact 'f["source_loop"]')"
mv "$work/kept" "$work/server"
sed -i '/^meta wall_clock_ns/d' "$work/text"
"$scope" dump --reverse "$work/text" -o "$work/trace" 2>/dev/null
hidden "a trace without a time of day" "the trace does not say when it was taken, so the source may have changed"
exit $failed
