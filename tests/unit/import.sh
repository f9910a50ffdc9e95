#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# An export that is imported gives the same trace. Text of perf script is read in all its forms; other
# text is refused, and the message names the line.
#
# Usage: tests/unit/import.sh      SCOPE= names the program (default build/san/scope)
. "$(dirname "$0")/begin.bash"

# Events of one kind in a trace.
count() { "$scope" dump "$1" | awk -v kind="$2" '$3 == kind' | wc -l; }

PYTHONDONTWRITEBYTECODE=1 python3 tests/golden/lock.py >"$work/text"
"$scope" dump --reverse "$work/text" -o "$work/trace"
"$scope" export script "$work/trace" -o "$work/script"
"$scope" export ctf "$work/trace" -o "$work/ctf"
"$scope" import "$work/script" -p 100 -o "$work/script.trace"
"$scope" import "$work/ctf" -p 100 -o "$work/ctf.trace"
for kind in syscall enter exit switch waking; do
	expected=$(count "$work/trace" $kind)
	# Which process a thread is of, only events of its own show: the switch before them is missing.
	[ $kind != switch ] || expected=$((expected - 4))
	same "$kind by perf script" "$expected" "$(count "$work/script.trace" $kind)"
	same "$kind by CTF" "$expected" "$(count "$work/ctf.trace" $kind)"
done
same "samples by perf script" "$(count "$work/trace" sample)" "$(count "$work/script.trace" sample)"
"$scope" report -v -i "$work/script.trace" >"$work/report"
same "the answer by perf script" "rebalance holds" \
	"$(awk '$1 == 1 && $3 == "server" { print $2, $6 }' "$work/report")"

# As perf aligns them: a name of hexadecimal digits, with a frame between.
cat >"$work/dd" <<'TEXT'
              dd 20 [001] 6.000001: raw_syscalls:sys_enter: NR 0 (3, 7ffd0, 40, 0, 0, 0)
	    55e0 read+0x10 (/usr/bin/libc.so)
              dd 20 [001] 6.000002:  raw_syscalls:sys_exit: NR 0 = 1
              dd 20 [001] 6.000003: raw_syscalls:sys_enter: NR 1 (3, 7ffd0, 40, 0, 0, 0)
              dd 20 [001] 6.000004:  raw_syscalls:sys_exit: NR 1 = 1
TEXT
"$scope" import "$work/dd" --comm dd -o "$work/dd.trace"
same "calls of dd" 2 "$(count "$work/dd.trace" syscall)"

# Not by any tool: a name with blanks, tids without processes, microseconds, flags, a period,
# modifiers, an event that is not wanted.
cat >"$work/hand" <<'TEXT'
# captured on a host
my prog 10 [001] d..1  5.000001: raw_syscalls:sys_enter: NR 0 (3, 7ffd0, 40, 0, 0, 0)
my prog 10 [001] 5.000003:          1 raw_syscalls:sys_exit: NR 0 = -11
my prog 10 [001] 5.000010: 250000 cycles:u:
	    55e0 work+0x10 (/usr/bin/prog)
	    55f0 main+0x4 (/usr/bin/prog)

my prog 10 [001] 5.000020: sched:sched_switch: prev_comm=my prog prev_pid=10 prev_prio=120 prev_state=S ==> next_comm=swapper/1 next_pid=0 next_prio=120
swapper 0 [001] 5.000040: sched:sched_waking: comm=my prog pid=10 prio=120 target_cpu=001
swapper 0 [001] 5.000050: sched:sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=my prog next_pid=10 next_prio=120
my prog 10/10 [001] 5.000055: PERF_RECORD_LOST lost 54
my prog 10 [001] 5.000060: irq:softirq_entry: vec=1 [action=TIMER]
TEXT
"$scope" import "$work/hand" -p 10 -o "$work/hand.trace" 2>"$work/errors"
same "an event of another kind is reported" 1 "$(grep -c '1 events of other kinds' "$work/errors")"
"$scope" dump "$work/hand.trace" >"$work/hand.dump"
same "what perf lost" "54" "$(awk '$3 == "lost" { print $4 }' "$work/hand.dump")"
same "a call" 1 "$(grep -c '^5000003000 1 syscall 10 read enter=5000001000 ret=-11' "$work/hand.dump")"
same "a sample with its frames" 1 "$(grep -c '^5000010000 1 sample 10 0x[0-9a-f]*,0x' "$work/hand.dump")"
same "a switch" 1 "$(grep -c '^5000020000 1 switch 10 0 sleeping' "$work/hand.dump")"
same "woken by an interrupt" 1 "$(grep -c '^5000040000 1 waking 10 from - hardirq' "$work/hand.dump")"
same "a name with a blank" 1 "$(grep -c 'comm=my.x20prog' "$work/hand.dump")"
"$scope" import "$work/hand" --comm 'my prog' -o "$work/hand.trace" 2>/dev/null
same "chosen by name" 1 "$(count "$work/hand.trace" syscall)"

refused() {	# WHAT TEXT MESSAGE [FORMAT]
	local status=0

	printf "${4:-%s\\n}" "$2" >"$work/bad"
	"$scope" import "$work/bad" -p 10 -o "$work/bad.trace" 2>"$work/errors" || status=$?
	same "$1" "1 1" "$status $(grep -c -- "$3" "$work/errors")"
	[ ! -e "$work/bad.trace" ] || { echo "not ok $1: a file was left"; failed=1; }
}
refused "no CPU" "prog 10 5.000001: raw_syscalls:sys_enter: NR 0 (3)" "line 1: there is no \[CPU\]"
refused "no thread" "prog [001] 5.000001: raw_syscalls:sys_enter: NR 0 (3)" "line 1: no thread"
refused "no time" "prog 10 [001] raw_syscalls:sys_enter: NR 0 (3)" "line 1: no time"
refused "no number" "prog 10 [001] 5.1: raw_syscalls:sys_exit: 0 = 3" "line 1: 'NR' is missing"
refused "a text that was cut off" "prog 10 [001] 5.1: raw_syscalls:sys_ex" "line 1: the text was cut off here" %s
refused "another process" "prog 11 [001] 5.1: raw_syscalls:sys_enter: NR 0 (3)" "most are of 11 prog"
refused "nothing" "" "there is no event"
"$scope" import "$work" -p 10 -o "$work/bad.trace" 2>"$work/errors" && failed=1
same "a directory without CTF" 1 "$(grep -c 'holds no CTF trace' "$work/errors")"
head -c 5000 "$work/ctf/channel0_0" >"$work/cut" && mv "$work/cut" "$work/ctf/channel0_0"
"$scope" import "$work/ctf" -p 100 -o "$work/bad.trace" 2>"$work/errors" && failed=1
same "a CTF stream cut short" 1 "$(grep -c 'see what babeltrace2 says' "$work/errors")"
exit $failed
