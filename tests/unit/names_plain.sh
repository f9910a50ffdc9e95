#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Names that would move a terminal's cursor, end a line or turn text around are escaped in all output of
# all commands for a trace with such names, and texts that are read back give the same names.
#
# Usage: tests/unit/names_plain.sh      SCOPE= names the program (default build/san/scope)
. "$(dirname "$0")/begin.bash"

check() {	# NAME COMMAND...
	local name=$1
	shift
	if "$@"; then echo "ok $name"; else echo "not ok $name"; failed=1; fi
}

# The trace of tests/golden/lock.py under other names: escape sequences, C1, a line end, overrides of the
# direction, broken UTF-8; names that look like fields of perf script.
export PYTHONDONTWRITEBYTECODE=1
python3 tests/golden/lock.py | python3 -c '
import sys
names = {
    "server": r"ser\x1b[2Jv\x0aer", "rebalance": r"reb\xe2\x80\xae\xc2\x9bx+0x12", "keep": r"k\x9b31m\xc0\xaf",
    "worker_loop": r"loop\x20(int)\x09[x];y", "comm=worker0": r"comm=\x1b]0;pwned\x07\x0a", "comm=worker1":
    r"comm=a\x20[001]\x201.0:", "comm=worker2": r"comm=\x20prev_pid=7", "comm=keeper": r"comm=\xed\xa0\x80\x5cx1b\x20",
    "get_item": r"get\x5cx41\xef\xbb\xbf",
}
print(r"meta command_line server \x1b[31m \xff\x0aFINDINGS none")
print(r"meta source_lacks a\x07b\x0ac")
print(r"meta kernel_stack.110 do\x1b[5m x\x0ay")
print(r"meta probe.1 u:/tmp/a\x1b[7m\x0a:f")
print(r"map 100 0x4000000 0x5000000 0x0 x /tmp/d\x1b[31m\x0ae\xe2\x80\xaemo 0123abcd")
print(r"map 100 0x6000000 0x7000000 0x0 x /tmp/gone\x07\x20(deleted) 0123abcd")
print(r"thread 190 100 \x1b[1mthr")
for line in sys.stdin:
    words = line.rstrip("\n").split(" ")
    print(" ".join(names.get(word, word) for word in words))
    if " sample " in line and line.endswith("0x1710,0x1510,0x1610\n"):
        print(words[0], words[1], "sample", words[3], "0x4000010,0x6000020")
print(r"6000000000 0 probe 101 1 args=3")
print(r"6000000001 0 fork 300 parent=101 tgid=300 comm=\x1b[4mchild_pid=5")
print(r"6000000002 0 exec 300 old=300 tgid=300 comm=\x0a\x0a")
' >"$work/text"
"$scope" dump --reverse "$work/text" -o "$work/trace"
printf 'trace' >"$work/seen"

# try NAME COMMAND...: what it says goes to a file of that name, and errors beside it.
try() {
	local name=$1 status=0
	shift
	"$@" >"$work/out.$name" 2>"$work/err.$name" || status=$?
	if [ $status -gt 2 ]; then
		echo "not ok $name: status $status"
		cat "$work/err.$name"
		failed=1
	fi
}
try report "$scope" report -i "$work/trace" --details 9
try quiet "$scope" report -i "$work/trace"
try json "$scope" report -i "$work/trace" --format json
try dump "$scope" dump "$work/trace"
for format in folded folded-off folded-probe script; do
	try "$format" "$scope" export "$format" "$work/trace"
done
mv "$work/out.script" "$work/out.a.script"
try learn "$scope" learn -i "$work/trace" --db "$work/db" --min-support 1
try list "$scope" signatures list --db "$work/db"
try show "$scope" signatures show $'ser\033[2Jv\ner' --db "$work/db"
try unknown "$scope" signatures show $'\033]0;pwned\a' --db "$work/db"
try signatures "$scope" signatures export --db "$work/db"
try absent "$scope" report -i "$work/"$'a\033[2J\n\xff'
try absent_text "$scope" dump --reverse "$work/"$'a\033[2J\n\xff' -o "$work/never"
try command "$scope" $'\033[2J\n'
try option "$scope" record --source $'\033[2J\n'
try doctor "$scope" doctor
try coz "$scope" delay read /dev/stdin < <(printf 'startup\ttime=1\nexperiment\tselected=a\033[2J\xff.c:1\tspeedup=0.00\tduration=1000\tselected-samples=9\nthroughput-point\tname=p\033[1m\tdelta=5\n')
check "something was printed" test -s "$work/out.report" -a -s "$work/out.json" -a -s "$work/out.list"
check "the trace's hostile names are in the report" grep -qF '\x1b[2Jv\x0aer' "$work/out.report"
check "nothing that is not text" python3 tests/unit/names_plain.py "$work"/out.* "$work"/err.*

"$scope" dump --reverse "$work/out.dump" -o "$work/again"
check "dump and back: the same bytes" cmp "$work/out.dump" <("$scope" dump "$work/again")
check "dump holds the names themselves" grep -qF 'comm=\xed\xa0\x80\x5cx1b\x20' "$work/out.dump"

"$scope" export sqlite "$work/trace" -o "$work/db3"
check "sqlite holds UTF-8 alone" python3 - "$work/db3" <<-'END'
	import sqlite3, sys
	connection = sqlite3.connect(sys.argv[1])
	connection.text_factory = bytes
	seen = 0
	for table, in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
	    for row in connection.execute(f"SELECT * FROM {table.decode()}"):
	        for value in row:
	            if isinstance(value, bytes):
	                text = value.decode("utf-8")
	                assert not any(ord(c) < 32 or 0x7f <= ord(c) < 0xa0 or ord(c) == 0x202e for c in text), text
	                seen += "\\x1b" in text
	assert seen, "no hostile name got there"
END
"$scope" export ctf "$work/trace" -o "$work/ctf"
check "the metadata of CTF is UTF-8" python3 tests/unit/names_plain.py <(tr '\t' ' ' <"$work/ctf/metadata")
"$scope" export perfetto "$work/trace" -o "$work/perfetto"
check "perfetto has no escape sequence" bash -c "! grep -qa \$'\\033[[]' '$work/perfetto'"

# Through perf script's text and back all threads have their names again.
"$scope" import "$work/out.a.script" -p 100 -o "$work/imported" 2>"$work/err.import"
"$scope" dump "$work/imported" >"$work/out.imported"
for name in 'comm=\x1b]0;pwned\x07\x0a' 'comm=a\x20[001]\x201.0:' 'comm=\x20prev_pid=7' 'comm=\xed\xa0\x80\x5cx1b\x20'; do
	check "script and back: $name" grep -qF -- "$name" "$work/out.imported"
done
for name in 'reb\xe2\x80\xae\xc2\x9bx+0x12' 'k\x9b31m\xc0\xaf' 'get\x5cx41\xef\xbb\xbf'; do
	check "script and back: function $name" grep -qF -- " $name ser\x1b[2Jv\x0aer program" "$work/out.imported"
done
check "script and back: no line was skipped" bash -c "! grep -q skipped '$work/err.import'"
exit $failed
