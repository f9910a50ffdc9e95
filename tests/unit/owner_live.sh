#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Mutexes of each kind, of glibc and of musl, that one thread holds and another one waits for, traced by perf events: the
# owner that the capture reads from the lock's memory is the thread that holds it. A normal mutex of musl has no owner. Threads that
# wait for each other's mutexes are a deadlock, and are listed in order; one that waits for its own "holds itself".
#
# Usage: tests/unit/owner_live.sh
# Exit status: 0 passed; 1 failed; 77 perf events cannot be used here.
. "$(dirname "$0")/live.bash"
build_with_libraries tests/unit/owner_work.c || exit 1

owner_of() {	# LIBRARY KIND
	local waiter owner want got
	coproc WORK { exec "$dir/$1" "$2"; }
	target=$WORK_PID
	if ! read -r _ waiter owner <&"${WORK[0]}"; then
		wait "$target"
		[ $? = 77 ] || { echo "not ok - $1, $2: the program failed"; bad=1; }
		echo "ok - $1, $2 # skipped: there is none here"
		target=
		return
	fi
	# The waiter prints before it waits: in futex, of x86-64 or arm64.
	until grep -Eq "^(202|98) " "/proc/$target/task/$waiter/syscall"; do sleep 0.01; done
	want=$owner
	[ "$1, $2" != "musl, normal" ] && [ "$1, $2" != "musl, shared" ] || want=0
	rm -f "$dir/a.trace"
	"$scope" record --source perf -p "$target" -d 0.3 -o "$dir/a.trace" > "$dir/said" 2>&1 || cat "$dir/said"
	got=$("$scope" dump "$dir/a.trace" | awk -v tid="$waiter" '$1 == "lock" && $2 == tid { owner = $4 } END { print owner }')
	if [ "$got" = "$want" ]; then
		echo "ok - $1, $2"
	else
		echo "not ok - $1, $2: the owner is $owner, the trace has '$got'"
		"$scope" dump "$dir/a.trace" | grep '^lock'
		bad=1
	fi
	kill "$target"
	wait "$target" 2>/dev/null
	target=
}

for library in "${libraries[@]}"; do
	for kind in normal recursive errorcheck adaptive robust shared pi pi-robust protect; do
		owner_of "$library" "$kind"
	done
done

cat > "$dir/circle.py" << 'P'
"""Usage: circle.py WAITS.json TID...: the one deadlock is these threads, each of which waits for the next one's lock."""
import json
import sys

tids = [int(word) for word in sys.argv[2:]]
deadlocks = json.load(open(sys.argv[1]))["deadlocks"]
assert len(deadlocks) == 1, deadlocks
owner = {wait["thread"]["tid"]: wait["owner"]["tid"] for wait in deadlocks[0]}
assert owner == {tid: tids[(at + 1) % len(tids)] for at, tid in enumerate(tids)}, (owner, tids)
assert len({wait["waits_for"] for wait in deadlocks[0]}) == len(tids), deadlocks
P
# However short they have been stuck: hangs count after a second.
for count in 1 2 3; do
	coproc WORK { exec "$dir/glibc" circle "$count"; }
	target=$WORK_PID
	read -r _ threads <&"${WORK[0]}"
	sleep 0.1
	rm -f "$dir/a.trace"
	"$scope" record --source perf -p "$target" -d 0.3 -o "$dir/a.trace" > "$dir/said" 2>&1 || cat "$dir/said"
	kill "$target"
	wait "$target" 2> /dev/null
	target=
	"$scope" waits -i "$dir/a.trace" > "$dir/waits"
	"$scope" waits -i "$dir/a.trace" --format json > "$dir/waits.json"
	# shellcheck disable=SC2086
	if python3 "$dir/circle.py" "$dir/waits.json" $threads 2> "$dir/why" && grep -q "DEADLOCK" "$dir/waits" &&
	   { [ "$count" -gt 1 ] || tr -s ' \n' ' ' < "$dir/waits" | grep -q "it holds itself"; }; then
		echo "ok - a circle of $count"
	else
		echo "not ok - a circle of $count: $threads"
		cat "$dir/why" "$dir/waits"
		bad=1
	fi
done

# The first screen of a hang has the line at which the owner is.
line=$(grep -n 'pause();' tests/unit/owner_work.c | head -n 1 | cut -d: -f1)
coproc WORK { exec "$dir/glibc" normal; }
target=$WORK_PID
read -r _ waiter owner <&"${WORK[0]}"
sleep 5
"$scope" report --source perf -p "$target" -d 2 > "$dir/report" 2> "$dir/said"
kill "$target"
wait "$target" 2> /dev/null
target=
# pause() is at its line, or returns to the next one, that of the loop.
if grep -Eq "^  Holder      .*\(tid $owner\), in own, owner_work.c:($line|$((line - 1)))\$" "$dir/report"; then
	echo "ok - the owner's line"
else
	echo "not ok - the owner's line, $line, is not in"
	cat "$dir/report" "$dir/said"
	bad=1
fi
exit "$bad"
