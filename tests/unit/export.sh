#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Every export has the same events as the trace. The tools for which the export is made read it back.
#
# Usage: tests/unit/export.sh      SCOPE= names the program (default build/san/scope)
. "$(dirname "$0")/begin.bash"

PYTHONDONTWRITEBYTECODE=1 python3 tests/golden/lock.py >"$work/text"
"$scope" dump --reverse "$work/text" -o "$work/trace"
enters=$(awk '$3 == "syscall" || $3 == "enter"' "$work/text" | wc -l)
exits=$(awk '$3 == "syscall" || $3 == "exit"' "$work/text" | wc -l)
switches=$(awk '$3 == "switch"' "$work/text" | wc -l)
wakings=$(awk '$3 == "waking"' "$work/text" | wc -l)
samples=$(awk '$3 == "sample"' "$work/text" | wc -l)

"$scope" export script "$work/trace" >"$work/script"
same "script enters" "$enters" "$(grep -c raw_syscalls:sys_enter "$work/script")"
same "script exits" "$exits" "$(grep -c raw_syscalls:sys_exit "$work/script")"
same "script switches" "$switches" "$(grep -c sched:sched_switch "$work/script")"
same "script wakings" "$wakings" "$(grep -c sched:sched_waking "$work/script")"
grep -oE ' [0-9]+\.[0-9]{9}: ' "$work/script" >"$work/times"
same "script in order of time" sorted "$(sort -C -n "$work/times" && echo sorted || echo unsorted)"

"$scope" export folded "$work/trace" -o "$work/folded"
same "folded samples" "$samples" "$(awk '{ sum += $NF } END { print sum }' "$work/folded")"
same "folded holder" 290 "$(awk '/^keeper;start_keeper;keep;rebalance / { print $NF }' "$work/folded")"
"$scope" export folded-off "$work/trace" -o "$work/off"
same "folded-off waits for the lock" 3 "$(grep -c 'get_item;pthread_mutex_lock ' "$work/off")"

"$scope" export ctf "$work/trace" -o "$work/ctf"
babeltrace2 "$work/ctf" >"$work/ctf.text" 2>"$work/ctf.errors"
same "ctf read without a word" 0 "$(wc -c <"$work/ctf.errors")"
same "ctf enters" "$enters" "$(grep -c ' syscall_entry_' "$work/ctf.text")"
same "ctf exits" "$exits" "$(grep -c ' syscall_exit_' "$work/ctf.text")"
same "ctf switches" "$switches" "$(grep -c ' sched_switch:' "$work/ctf.text")"
same "ctf wakings" "$wakings" "$(grep -c ' sched_waking:' "$work/ctf.text")"
same "ctf argument of a read" "$(grep -c 'syscall 10[123] read .*args=15' "$work/text")" \
	"$(grep -c 'syscall_entry_read: .*{ fd = 15 }' "$work/ctf.text")"
same "ctf arguments of a futex" "$(grep -c 'enter 10[123] futex .*args=0x7f00,0x80,2' "$work/text")" \
	"$(grep -c 'syscall_entry_futex: .*{ uaddr = 32512, op = 128, val = 2 }' "$work/ctf.text")"

"$scope" export perfetto "$work/trace" -o "$work/perfetto"
protoc -I tests/unit --decode=Trace tests/unit/export.proto <"$work/perfetto" >"$work/perfetto.text"
same "perfetto fields outside the schema" 0 "$(grep -cE '^ *[0-9]+(:| \{)' "$work/perfetto.text" || true)"
same "perfetto enters" "$enters" "$(grep -c ' sys_enter {' "$work/perfetto.text")"
same "perfetto exits" "$exits" "$(grep -c ' sys_exit {' "$work/perfetto.text")"
same "perfetto switches" "$switches" "$(grep -c ' sched_switch {' "$work/perfetto.text")"
same "perfetto wakings" "$wakings" "$(grep -c ' sched_waking {' "$work/perfetto.text")"
same "perfetto threads" 4 "$(grep -c ' threads {' "$work/perfetto.text")"

"$scope" export sqlite "$work/trace" -o "$work/db"
query() { python3 -c 'import sqlite3, sys
print(sqlite3.connect(sys.argv[1]).execute(sys.argv[2]).fetchone()[0])' "$work/db" "$1"; }
same "sqlite calls" "$exits" "$(query 'SELECT count(*) FROM call')"
same "sqlite samples" "$samples" "$(query 'SELECT count(*) FROM stack WHERE sample')"
same "sqlite wakers of the lock" 110 \
	"$(query 'SELECT DISTINCT waker_tid FROM wait WHERE class = "futex"')"
# 58 times 5 ms, and a little around it.
same "sqlite run time of the holder, ms / 10" 29 \
	"$(query 'SELECT run_ns / 10000000 FROM thread WHERE comm = "keeper"')"

# Probes, with a stack, and delays; addresses of stacks are those that ran.
cat >"$work/marks.text" <<'TEXT'
meta command demo
meta probe.7 u:/usr/bin/demo:handle
map 100 0x400000 0x500000 0x0 x /usr/bin/demo -
thread 100 100 demo
sym 100 0x401000 0x100 handle demo program
sym 100 0x402000 0x100 main demo program
1000 0 switch 0 100 sleeping
2000 0 syscall 100 read enter=1500 ret=100 args=7
2100 0 stack 100 0x401010,0x402020
2500 0 probe 100 7 args=3,0xffff800000000000 user
2500 0 stack 100 0x401000,0x402030 reason=2
2600 0 probe 100 7 args=1 return user
90000 0 delay 100 1 asked=50000 served=53211 at_return
91000 0 switch 100 0 sleeping
92000 0 switch 0 100 sleeping
TEXT
"$scope" dump --reverse "$work/marks.text" -o "$work/marks"
"$scope" export script "$work/marks" >"$work/marks.script"
same "script addresses" 1 "$(grep -cx '	          401010 handle (demo)' "$work/marks.script")"
same "script probes" "id=7 place=u:/usr/bin/demo:handle arg0=0x3 arg1=0xffff800000000000|id=7 place=u:/usr/bin/demo:handle arg0=0x1 return" \
	"$(sed -n 's/.*scope:probe: //p' "$work/marks.script" | paste -sd '|')"
same "script delays" "rule=1 asked_ns=50000 served_ns=53211 at_return" "$(sed -n 's/.*scope:delay: //p' "$work/marks.script")"
same "folded-probe" "demo;main;handle;u:/usr/bin/demo:handle 1" "$("$scope" export folded-probe "$work/marks")"
"$scope" export ctf "$work/marks" -o "$work/marks.ctf"
babeltrace2 "$work/marks.ctf" >"$work/marks.ctf.text"
same "ctf probes" 1 "$(grep -c 'scope_probe: .*probe = 7, return = 0, args_length = 2, args = \[ \[0\] = 0x3' "$work/marks.ctf.text")"
same "ctf delays" 1 "$(grep -c 'scope_delay: .*rule = 1, at_return = 1, asked_ns = 50000, served_ns = 53211' "$work/marks.ctf.text")"
"$scope" export perfetto "$work/marks" -o "$work/marks.perfetto"
protoc -I tests/unit --decode=Trace tests/unit/export.proto <"$work/marks.perfetto" >"$work/marks.perfetto.text"
same "perfetto marks" 'B|100|delay by rule 1,E|100,I|100|probe 7 u:/usr/bin/demo:handle,I|100|probe 7 u:/usr/bin/demo:handle' \
	"$(sed -n 's/^ *buf: "\(.*\)"/\1/p' "$work/marks.perfetto.text" | sort | paste -sd ,)"
same "perfetto begin of a delay" 36789 "$(grep -A4 'timestamp: 36789$' "$work/marks.perfetto.text" | awk '/timestamp/ { print $2 }')"
"$scope" export sqlite "$work/marks" -o "$work/marks.db"
ask() { python3 -c 'import sqlite3, sys
print(sqlite3.connect(sys.argv[1]).execute(sys.argv[2]).fetchall())' "$work/marks.db" "$1"; }
same "sqlite probes" "[(2500, 7, 'u:/usr/bin/demo:handle', 0, '0x3 0xffff800000000000'), (2600, 7, 'u:/usr/bin/demo:handle', 1, '0x1')]" \
	"$(ask 'SELECT time_ns, id, place, is_return, args FROM probe')"
same "sqlite sleeps in page faults" "[('page fault', None, None, 91000, 92000)]" \
	"$(ask 'SELECT class, nr, object, begin_ns, end_ns FROM wait')"
same "sqlite delays" "[(36789, 90000, 1, 50000, 1)]" "$(ask 'SELECT begin_ns, end_ns, rule, asked_ns, at_return FROM delay')"

# A failure names its cause, and leaves no file.
"$scope" export sqlite "$work/trace" -o "$work/db" 2>"$work/errors" || failed=1
same "an existing database is kept" "$work/db was there already and is kept as $work/db.old" \
	"$(sed 's/^scope export: //' "$work/errors")"
"$scope" export ctf "$work/trace" -o "$work/ctf" 2>"$work/errors" && failed=1
same "an existing directory is refused" 1 "$(grep -c 'cannot be made' "$work/errors")"
"$scope" export script "$work/trace" -o /dev/full 2>"$work/errors" && failed=1
same "a full disk is reported" 1 "$(grep -c '/dev/full cannot be written: No space' "$work/errors")"
for format in ctf perfetto script sqlite; do
	# Files of 100 KB at most: what a full disk does, without one.
	(trap '' XFSZ; ulimit -f 100; "$scope" export $format "$work/trace" -o "$work/short") 2>"$work/errors" && failed=1
	same "$format that has no room is reported" 1 "$(grep -c "^scope export: $work/short.* cannot be written" "$work/errors")"
	same "$format that has no room leaves nothing" "" "$(find "$work" -name 'short*' -printf '%f\n')"
done
"$scope" export nonsense "$work/trace" 2>"$work/errors" && failed=1
same "an unknown format is reported" 1 "$(grep -c "no format 'nonsense'" "$work/errors")"
exit $failed
