#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Importers read damaged and malicious texts and directories: bad lines are skipped and counted,
# a library that ends its process or hangs does not affect the importer, and root does not read a user's files.
#
# Usage: tests/unit/import_bad.sh      SCOPE= names the program (default build/san/scope)
. "$(dirname "$0")/begin.bash"

# A name with what looks like a CPU, a name that ends a line, an entry cut off, a frame without a module, a line of
# 3 MB, a thread and a CPU that no kernel has; the others are taken.
{
	echo 'p [7] x 10 [001] 5.000001: raw_syscalls:sys_enter: NR 0 (3, 7ffd0, 40, 0, 0, 0)'
	echo 'p [7] x 10 [001] 5.000003: raw_syscalls:sys_exit: NR 0 = 5'
	printf 'e\nvil 10 [001] 5.000004: raw_syscalls:sys_enter: NR 1 (3)\n'
	echo 'prog 10 [001] 5.000005: raw_syscalls:sys_ex'
	printf 'prog 10 [001] 5.000006: cpu-clock:\n\t55e0 work+0x10\n\t55f0 main+0x4 (/usr/bin/prog)\n\n'
	head -c 3000000 /dev/zero | tr '\0' 'x'
	echo
	echo 'prog 99999999 [001] 5.000007: raw_syscalls:sys_exit: NR 1 = 0'
	echo 'prog 10 [70000] 5.000007: raw_syscalls:sys_exit: NR 1 = 0'
	for i in 2 3 4 5 6 7; do
		echo "prog 10 [001] 5.0000${i}1: raw_syscalls:sys_enter: NR $i (3)"
		echo "prog 10 [001] 5.0000${i}3: raw_syscalls:sys_exit: NR $i = 0"
	done
} >"$work/text"
"$scope" import "$work/text" -p 10 -o "$work/trace" 2>"$work/errors"
same "bad lines are skipped and counted" 1 "$(grep -c '6 of 21 lines cannot be read and were skipped; the first is line 3: there is no \[CPU\]' "$work/errors")"
"$scope" dump "$work/trace" >"$work/dump"
same "the others are there" 8 "$(grep -c ' syscall 10 \| enter 10 ' "$work/dump")"
same "a name that looks like a CPU" 1 "$(grep -c 'comm=p.x20\[7\].x20x' "$work/dump")"
{ printf 'no line of it\n%.0s' 1 2 3; head -2 "$work/text"; } >"$work/worse"
status=0
"$scope" import "$work/worse" -p 10 -o "$work/never" 2>"$work/errors" || status=$?
same "mostly bad lines" "1 1" "$status $(grep -c 'is not the output of perf script: 3 of 5 entries' "$work/errors")"
[ ! -e "$work/never" ] || { echo "not ok mostly bad lines: a file was left"; failed=1; }

# The same for the text form of traces.
printf 'meta command demo\n1 0 lost 1\n2 0 lust 1\nmeta a \\q\n3 0 lost 1\n' >"$work/text"
"$scope" dump --reverse "$work/text" -o "$work/reversed" 2>"$work/errors"
same "dump --reverse skips" 1 "$(grep -c "2 of 5 lines .* the first is line 3: 'lust' is no event" "$work/errors")"
same "and takes the others" 3 "$("$scope" dump "$work/reversed" | wc -l)"
printf 'a\nb\n1 0 lost 1\n' >"$work/text"
status=0
"$scope" dump --reverse "$work/text" -o "$work/never" 2>"$work/errors" || status=$?
same "dump --reverse of another text" "1 1" "$status $(grep -c '2 of 3 entries cannot be read' "$work/errors")"

# CTF: a clock without a frequency makes the library end its process; a FIFO is where a stream was.
PYTHONDONTWRITEBYTECODE=1 python3 tests/golden/hang.py >"$work/text"
"$scope" dump --reverse "$work/text" -o "$work/good"
"$scope" export ctf "$work/good" -o "$work/ctf"
"$scope" import "$work/ctf" -p 100 -o "$work/trace.ctf" 2>"$work/errors"
same "an undamaged one" 0 "$(wc -l <"$work/errors")"
sed -i '/freq = /d' "$work/ctf/metadata"
status=0
"$scope" import "$work/ctf" -p 100 -o "$work/never" >"$work/said" 2>"$work/errors" || status=$?
same "the library broke off" "1 1 0" "$status $(grep -c 'libbabeltrace2 broke off' "$work/errors") $(wc -l <"$work/said")"
same "one sentence, no file" "1 0" "$(wc -l <"$work/errors") $(find "$work" -name 'never*' | wc -l)"
rm -rf "$work/ctf"
"$scope" export ctf "$work/good" -o "$work/ctf"
rm "$work/ctf/channel0_1"
mkfifo "$work/ctf/channel0_1"
status=0
timeout 300 "$scope" import "$work/ctf" -p 100 -o "$work/never" 2>"$work/errors" || status=$?
same "a FIFO in the place of a stream" "1 0" "$status $(find "$work" -name 'never*' | wc -l)"

# Called through sudo: a text that only root can open is opened, what is made of it is the user's.
if [ "$(id -u)" = 0 ]; then
	mkdir "$work/user"
	chmod 711 "$work"
	chown 65534:65534 "$work/user"
	printf 'prog 10 [001] 5.1: raw_syscalls:sys_enter: NR 0 (3)\n' >"$work/secret"
	printf '1 0 lost 1\n' >"$work/secret.text"
	printf '{"scope_signatures": 1, "builds": []}\n' >"$work/secret.json"
	chmod 600 "$work/secret" "$work/secret.text" "$work/secret.json" "$work/good"
	export SUDO_UID=65534 SUDO_GID=65534
	"$scope" import "$work/secret" -p 10 -o "$work/user/imported"
	"$scope" dump --reverse "$work/secret.text" -o "$work/user/reversed"
	"$scope" signatures import "$work/secret.json" --db "$work/user/db" >/dev/null
	"$scope" export script "$work/good" -o "$work/user/script"
	for file in imported reversed db script; do
		same "under sudo: $file is the user's" 65534 "$(stat -c %u "$work/user/$file")"
	done
	status=0
	"$scope" import "$work/secret" -p 10 -o "$work/never" 2>/dev/null || status=$?
	same "under sudo: no file where the user may not write" "1 0" "$status $(find "$work" -name 'never*' | wc -l)"
	unset SUDO_UID SUDO_GID
fi
exit $failed
