#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Another reader, written from docs/trace-format.md, prints the same text for a trace as `scope dump`.
#
# Usage: tests/unit/second_reader.sh      SCOPE= names the program (default build/san/scope)
set -euo pipefail
cd "$(dirname "$0")/../.."

scope=${SCOPE:-build/san/scope}
[ -x "$scope" ] || { echo "skipped: $scope is not there; make SAN=1 user builds it"; exit 77; }
for python in /usr/bin/python3 python3; do
	"$python" -c 'import zstandard' 2>/dev/null && break
	python=
done
[ -n "$python" ] || { echo "skipped: no python3-zstandard; run 'scripts/setup.sh test'"; exit 77; }
export PYTHONDONTWRITEBYTECODE=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
scripts/syscall-table.sh >"$work/syscalls"
failed=0

# same NAME [LINES_MIN [PATTERN COUNT_MIN]]: of $work/NAME, with LINES_MIN lines at least, COUNT_MIN of them like PATTERN
same() {
	local lines found status
	# Of a damaged file the rest is printed, and the status is 1; with nothing said it is 0.
	status=0
	"$scope" dump "$work/$1" >"$work/first" 2>"$work/first.problems" || status=$?
	[ "$status" = "$(head -c 1 "$work/first.problems" | wc -c)" ] ||
		{ echo "not ok $1: status $status"; failed=1; }
	"$python" tests/unit/second_reader.py "$work/$1" "$work/syscalls" >"$work/second" 2>"$work/second.problems"
	lines=$(wc -l <"$work/first")
	found=$(grep -cE -- "${3:-.}" "$work/first" || true)
	if cmp "$work/first" "$work/second" && [ "$lines" -ge "${2:-1}" ] && [ "$found" -ge "${4:-1}" ] &&
		[ "$(head -c 1 "$work/first.problems" | wc -c)" = "$(head -c 1 "$work/second.problems" | wc -c)" ]; then
		echo "ok $1: $lines lines, $found of '${3:-.}'"
	else
		echo "not ok $1: $lines lines, $found of '${3:-.}'"
		diff "$work/first" "$work/second" | head -n 5
		cat "$work/first.problems" "$work/second.problems"
		failed=1
	fi
}

awk '/^```/ { p = 0 } p; /^```$/ { getline; p = /^meta /; if (p) print }' docs/trace-format.md \
	>"$work/example.text"
"$scope" dump --reverse "$work/example.text" -o "$work/example"
same example 28

"$python" tests/golden/lock.py >"$work/whole.text"
head -n 40000 "$work/whole.text" >"$work/golden.text"
"$scope" dump --reverse "$work/golden.text" -o "$work/golden"
same golden 40000 ' (switch|waking) ' 10000

# Every record, stacks and losses among them.
"$python" tests/unit/random_trace.py 6000 >"$work/random.text"
"$scope" dump --reverse "$work/random.text" -o "$work/random"
same random 6000 '^[0-9]+ [0-9]+ (stack|sample) ' 600
same random 6000 '^[0-9]+ [0-9]+ lost ' 15

# The same as a file without compression, which the other reader writes.
"$python" tests/unit/second_reader.py --plain "$work/plain" "$work/random"
[ "$(stat -c %s "$work/plain")" -gt "$(stat -c %s "$work/random")" ] || { echo "not ok: nothing was unpacked"; failed=1; }
same plain 6000
cmp -s "$work/first" <("$scope" dump "$work/random") || { echo "not ok: plain is another trace"; failed=1; }

# Cut short, in the middle of a sub-buffer and of its head; a byte that is wrong.
bytes=$(stat -c %s "$work/plain")
for left in $((bytes / 2)) $((bytes - 60)) 40; do
	head -c "$left" "$work/plain" >"$work/cut-$left"
	same "cut-$left" "$((left > 100))" . 0
done
for at in $((bytes / 3)) $((bytes / 2)); do
	cp "$work/plain" "$work/wrong-$at"
	printf '\125\252' | dd of="$work/wrong-$at" bs=1 seek="$at" conv=notrunc status=none
	same "wrong-$at" 20
done

# What a capture writes: by perf events, where this host has them.
for level in 0 1; do
	timeout 60 "$scope" record --source perf --compress $level --stack-budget 0 -o "$work/live-$level" -- \
		bash -c 'for i in {1..50}; do /bin/true; sleep 0.001; done' >"$work/said" 2>&1 ||
		{ echo "# left out, live: $(tail -n 1 "$work/said")"; break; }
	same "live-$level" 1000 ' (fork|exec) ' 50
done
exit $failed
