#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Trace known work by perf events on this host: 500 threads, a target that forks all the time, and stacks
# with holes.
#
# Usage: tests/unit/perf_live.sh
# Exit status: 0 passed; 1 failed; 77 perf events cannot be used here.
. "$(dirname "$0")/live.bash"
gcc -O1 -Wall -Wextra -Werror -pthread -o "$dir/work" tests/unit/perf_work.c || exit 1

# Sets select, the options that say whom to trace, once the work is there. By default all of it, with
# rings that hold it all: what is asked is what comes, not how soon a busy host lets it be read.
wide=(--subbuf-count 64)
choose() { select=(-p "$target" "${wide[@]}"); }

# trace ARGUMENT...: runs perf_work with them under a capture; leaves its events in $dir/text.
trace() {
	local recorder word
	coproc WORK { exec "$dir/work" "$@"; }
	target=$WORK_PID
	read -r word <&"${WORK[0]}"
	choose
	"$scope" record "${select[@]}" --source perf -d 600 -o "$dir/a.trace" > "$dir/said" 2>&1 &
	recorder=$!
	begun "$recorder" "$dir/a.trace" || { cat "$dir/said"; return 1; }
	meanwhile
	echo go >&"${WORK[1]}"
	read -r word <&"${WORK[0]}"
	kill -INT "$recorder"
	wait "$recorder" || { cat "$dir/said"; return 1; }
	kill "$target"
	wait "$target" 2>/dev/null
	target=
	cat "$dir/said"
	"$scope" dump "$dir/a.trace" > "$dir/text"
}

# What happens once the capture has begun.
meanwhile() { awk '{ print $19 }' "/proc/$recorder/stat" > "$dir/nice"; }

# expect NAME COUNT PATTERN
expect() {
	local found
	found=$(grep -Ec -- "$3" "$dir/text")
	if [ "$found" -eq "$2" ]; then
		echo "ok - $1: $found"
	else
		echo "not ok - $1: $found, expected $2; of the trace:"
		grep -E '^meta (late|stacks_lost|end_reason)| lost ' "$dir/text" | tail -n 5
		bad=1
	fi
}

trace threads 500 20 || exit 1
expect "calls of 500 threads" 10000 '^[0-9]+ [0-9]+ (syscall|exit) [0-9]+ getppid '
expect "their states, at start and stop" 1002 '^[0-9]+ [0-9]+ state '
expect "losses" 0 '^[0-9]+ [0-9]+ lost '
cp "$dir/nice" "$dir/text"
# One that somebody chose stays, and not every root may have another.
[ "$(nice)" -eq 0 ] && want=$(nice -n -10 nice 2>/dev/null) || want=$(nice)
expect "nice value of who empties the rings" 1 "^$want$"
meanwhile() { :; }

# Numbers may begin again from the lowest just now, which is another test.
for _ in 1 2 3; do
	trace forks 300 3 || exit 1
	grep -q '^meta late [1-9]' "$dir/text" || break
done
expect "calls of 300 children" 900 '^[0-9]+ [0-9]+ (syscall|exit) [0-9]+ getppid '
expect "forks" 300 '^[0-9]+ [0-9]+ fork '
expect "exits" 300 '^[0-9]+ [0-9]+ thread_exit .* last$'
expect "losses" 0 '^[0-9]+ [0-9]+ lost '

# The commands of a script come and go while a capture begins: of one that has ended by then nothing is lost.
sh -c 'while :; do sleep 0.03; done' &
target=$!
: > "$dir/all"
for _ in 1 2 3 4; do
	"$scope" record -p "$target" "${wide[@]}" --source perf -d 0.5 -o "$dir/a.trace" > "$dir/said" 2>&1 || exit 1
	"$scope" dump "$dir/a.trace" >> "$dir/all"
	rm "$dir/a.trace"
done
kill "$target"
wait "$target" 2>/dev/null
target=
cp "$dir/all" "$dir/text"
expect "captures of a script" 4 '^meta source perf$'
expect "losses" 0 '^[0-9]+ [0-9]+ lost '

# New processes of others, which call the kernel as fast as they can, take no room from the target: their
# events alone fill small rings many times over. Of the target come so few that a busy host reads them in time.
narrow=(--subbuf-bytes 16384 --subbuf-count 2)
choose() { select=(-p "$target" "${narrow[@]}"); }
meanwhile() {
	for _ in 1 2 3 4 5 6; do
		dd if=/dev/zero of=/dev/null bs=1 count=300000 status=none
	done &
	others=$!
}
trace threads 5 100 || exit 1
wait "$others"
expect "calls of 5 threads beside new processes of others" 500 '^[0-9]+ [0-9]+ (syscall|exit) [0-9]+ getppid '
expect "losses" 0 '^[0-9]+ [0-9]+ lost '
choose() { select=(-p "$target" "${wide[@]}"); }
meanwhile() { :; }

# The kernel's filter is changed as numbers begin again from the lowest: the first children are late.
if [ -w /proc/sys/kernel/ns_last_pid ]; then
	trace forks 20 5 1000 || exit 1
	expect "calls of the parent while the filter changes" 40 \
		"^[0-9]+ [0-9]+ (syscall|exit) $(awk '$3 == "fork" { sub("parent=", "", $5); print $5; exit }' "$dir/text") (clone|wait4) "
	expect "losses" 0 '^[0-9]+ [0-9]+ lost '
	expect "children that are late, counted" 1 '^meta late [1-9]'
else
	echo "# left out: ns_last_pid cannot be set here"
fi

# Copies of stacks end at pages that nobody wrote to: a thread's first one does, the later ones do not,
# once slices have grown. They do not where the host is so busy that stacks are lost.
for _ in 1 2 3; do
	trace holes 1 100 || exit 1
	"$scope" export script "$dir/a.trace" | awk '/^[^ \t]/ { if (in_hole) print whole; in_hole = whole = 0 }
		/ sleeps_in_hole / { in_hole = 1 }
		/ calls_into_hole / { whole = in_hole }
		END { if (in_hole) print whole }' > "$dir/whole"
	lost=$(grep -c '^meta stacks_lost [1-9]' "$dir/text")
	[ "$lost" -gt 0 ] || break
done
head -n 1 "$dir/whole" > "$dir/text"
expect "the first stack over a page never written to is cut" 1 0
tail -n 40 "$dir/whole" > "$dir/text"
if [ "$lost" -eq 0 ]; then
	expect "later ones are whole" 40 1
else
	echo "# left out: stacks were lost in three captures, this host is too busy"
fi

calls='(syscall|enter|exit) [0-9]+'
choose() {
	# shellcheck disable=SC2012 # numbers
	mapfile -t tids < <(ls "/proc/$target/task" | sort -n)
	select=(-t "${tids[3]}" -t "${tids[5]}" --syscalls getppid,write "${wide[@]}")
}
trace threads 10 20 || exit 1
expect "calls of two threads" 40 '^[0-9]+ [0-9]+ (syscall|exit) [0-9]+ getppid '
expect "calls that were not asked for" 0 "^[0-9]+ [0-9]+ $calls (clock_nanosleep|futex|pause) "
expect "states of two threads" 4 '^[0-9]+ [0-9]+ state '
expect "losses" 0 '^[0-9]+ [0-9]+ lost '

choose() { select=(--comm picked "${wide[@]}"); }
trace names 10 20 || exit 1
expect "calls under a name" 200 '^[0-9]+ [0-9]+ (syscall|exit) [0-9]+ getppid '
expect "threads that took the name" 10 '^[0-9]+ [0-9]+ comm [0-9]+ tgid=[0-9]+ comm=picked$'
expect "threads that gave it up" 10 '^[0-9]+ [0-9]+ thread_exit [0-9]+ tgid=[0-9]+ untraced$'

# A capture ends with its target though the end was lost: the rings are full by then, because the recorder is stopped.
"$scope" record --source perf --subbuf-bytes 4096 --subbuf-count 2 -o "$dir/a.trace" -- \
	bash -c 'until [ -e "$0" ]; do sleep 0.05; done; exec dd if=/dev/zero of=/dev/null bs=1 count=300000 status=none' \
	"$dir/stands" > "$dir/said" 2>&1 & recorder=$!
for _ in $(seq 200); do
	target=$(pgrep -P "$recorder" -x bash) && break
	sleep 0.05
done
[ -n "$target" ] || { cat "$dir/said"; exit 1; }
kill -STOP "$recorder"
: > "$dir/stands"
for _ in $(seq 1200); do
	[ "$(awk '{ print $3 }' "/proc/$target/stat")" != Z ] || break
	sleep 0.1
done
ended=$target target=
kill -CONT "$recorder"
for _ in $(seq 1200); do
	kill -0 "$recorder" 2>/dev/null || break
	sleep 0.1
done
if kill -INT "$recorder" 2>/dev/null; then
	echo "not ok - a capture whose target's end was lost goes on"
	bad=1
fi
wait "$recorder" || bad=1
cat "$dir/said"
"$scope" dump "$dir/a.trace" > "$dir/text"
expect "ends of a process whose end was lost" 1 "^[0-9]+ [0-9]+ thread_exit $ended .* last\$"
[ "$(grep -c ' lost ' "$dir/text")" -gt 0 ] || { echo "not ok - no loss is reported"; bad=1; }

# The file of a recorder that is killed has what came up to a moment before, however little it is.
bash -c 'while sleep 0.05; do :; done' & target=$!
"$scope" record -p "$target" --source perf -o "$dir/killed.trace" > "$dir/said" 2>&1 & recorder=$!
calls_in() { { "$scope" dump "$1" || true; } 2> "$dir/damage" | grep -Ec '^[0-9]+ [0-9]+ (exit|syscall) '; }
for _ in $(seq 600); do
	[ "$(calls_in "$dir/killed.trace.part")" -eq 0 ] || break
	sleep 0.1
done
kill -9 "$recorder"
wait "$recorder" 2>/dev/null
kill "$target"
wait "$target" 2>/dev/null
target=
if found=$(calls_in "$dir/killed.trace.part"); then
	echo "ok - calls in what a killed recorder left: $found"
else
	echo "not ok - no call is in what a killed recorder left:"
	cat "$dir/said" "$dir/damage"
	bad=1
fi

# The process moves into the group below once the capture of its parent is on.
group=
for root in /sys/fs/cgroup /sys/fs/cgroup/unified /sys/fs/cgroup/cpu; do
	[ -e "$root/cgroup.procs" ] && mkdir "$root/scope-test-$$" 2> "$dir/why" && mkdir "$root/scope-test-$$/below" &&
		{ group=$root/scope-test-$$; break; }
done
if [ -z "$group" ]; then
	echo "# no control group can be made here: $(cat "$dir/why")"
	exit "$bad"
fi
sleep 1000 & sleeper=$!
echo "$sleeper" > "$group/cgroup.procs"
choose() { select=(--cgroup "$group" "${wide[@]}"); }
meanwhile() {
	echo "$target" > "$group/below/cgroup.procs"
	sleep 0.5
}
trace threads 10 20 || bad=1
kill "$sleeper"
wait "$sleeper" 2>/dev/null
rmdir "$group/below" "$group" || bad=1
expect "calls of those who joined a group" 200 '^[0-9]+ [0-9]+ (syscall|exit) [0-9]+ getppid '
exit "$bad"
