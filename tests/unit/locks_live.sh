#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Locks of each kind that three threads wait for, of glibc and of musl, traced by perf events: `scope waits` has the lock with its
# kind, and the number and length of its waits agree with the threads' own ledger: the same number, and times within 2 %. The same is true for
# 200 and 300 threads that queue for one mutex, where one wait may consist of several sleeps.
#
# Usage: tests/unit/locks_live.sh
# Exit status: 0 passed; 1 failed; 77 perf events cannot be used here.
. "$(dirname "$0")/live.bash"
build_with_libraries tests/unit/locks_work.c || exit 1

cat > "$dir/check.py" << 'P'
"""Usage: check.py WAITS.json LEDGER KIND [THREADS]: the lock that was waited for longest is of that kind and has the ledger's waits."""
import json
import sys

document, ledger, kind = json.load(open(sys.argv[1])), json.loads(sys.argv[2]), sys.argv[3]
lock = document["locks"][0]
assert lock["kind"] == kind, lock["kind"]
threads = int(sys.argv[4]) if len(sys.argv) > 4 else 3
# A thread of a crowd may find the lock taken again as it is woken, and then waits once more.
more = 0.05 * ledger["waits"] if threads > 3 else 0
assert 0 <= lock["waits"]["count"] - ledger["waits"] <= more, (lock["waits"], ledger)
assert threads == 3 or lock["waiters"] >= threads - 1, lock
assert abs(lock["wait_ns"] - ledger["wait_ns"]) <= 0.02 * ledger["wait_ns"], (lock["wait_ns"], ledger)
P

# LIBRARY KIND TYPE [THREADS]: three times where this host is busy.
expect() {
	local _
	for _ in 1 2 3; do
		rm -f "$dir"/a.trace*
		if ! capture_work nice -n -15 "$dir/$1" "$2" "${@:4}"; then continue; fi
		"$scope" waits --format json -i "$dir/a.trace" > "$dir/waits.json" || exit 1
		python3 "$dir/check.py" "$dir/waits.json" "$ledger" "${@:3}" 2> "$dir/why" &&
			{ echo "ok - $1, $2${4:+, $4 threads}"; return; }
	done
	echo "not ok - $1, $2: $ledger"
	cat "$dir/why" "$dir/said"
	"$scope" waits -v -i "$dir/a.trace"
	bad=1
}

for library in "${libraries[@]}"; do
	for kind in mutex timed; do expect "$library" "$kind" mutex; done
	expect "$library" pi pi-mutex
done
for threads in 200 300; do expect glibc mutex mutex "$threads"; done
for kind in recursive c11; do expect glibc "$kind" mutex; done
for kind in read write; do expect glibc "$kind" rwlock; done
for kind in condition semaphore; do expect glibc "$kind" condition; done
exit "$bad"
