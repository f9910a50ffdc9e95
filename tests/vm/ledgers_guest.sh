#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The part of test_ledgers.sh that runs in the guest.
#
# Usage: ledgers_guest.sh SCOPE SCOPE_KO LEDGER_WORK
set -uo pipefail

scope=$1 module=$2 work=$3
dir=$(mktemp -d /dev/shm/ledgers.XXXXXX)
. "$(dirname "$0")/guest.bash"
cd "$dir" || exit 1

insmod "$module" || exit 1
modprobe loop || exit 1
truncate -s 16M loop.img && device=$(losetup -f --show loop.img) || exit 1

cat > check.py <<'P'
"""Usage: check.py METRICS.json SAMPLES seconds|window|faults|sectors SECTORS
seconds: the time on a CPU between each two samples; steps at the edges count in proportion. window: the time in the run queue,
and faults, between the first sample and the last. The kernel adds a wait for a CPU to its counter when it ends."""
import json
import sys

document, lines = json.load(open(sys.argv[1])), [line.split() for line in open(sys.argv[2])]
begin, step = document["begin_ns"], document["step_ns"]
series = {one["name"]: one for one in document["series"]}
samples = {}
for line in lines:
    samples.setdefault(line[2], []).append((int(line[0]), *map(int, line[3:])))
assert not document["lost"], f"{document['lost']} events lost"
assert set(samples) == {"ledger_work", "spin0", "spin1", "nap", "touch", "store"}, samples


def between(name, metric, since, until):
    values = series[name]["values"].get(metric, [0] * document["steps"])
    return sum(
        value * max(0, min(until, begin + (i + 1) * step) - max(since, begin + i * step)) / step
        for i, value in enumerate(values)
    )


compared, worst = 0, 0.0


def near(name, metric, found, counted, wall):
    """Of what the kernel counted, or of a tenth of the time, if that is more: steps at the edges are not exact."""
    global compared, worst
    off = abs(found - counted) / max(counted, wall / 10)
    assert off <= 0.02, f"{name}: {metric} {found / 1e6:.2f} ms, not {counted / 1e6:.2f}, of {wall / 1e6:.0f} ms"
    compared, worst = compared + 1, max(worst, off)


if sys.argv[3] == "seconds":
    for name, rows in samples.items():
        for a, b in zip(rows, rows[1:]):
            assert begin <= a[0] and b[0] <= document["end_ns"], (begin, a[0], b[0])
            near(name, "run", between(name, "run", a[0], b[0]), b[1] - a[1], b[0] - a[0])
    assert compared >= 18, compared
    print(f"{compared} times of a thread and a second; off by {100 * worst:.2f} % at most")
elif sys.argv[3] == "window":
    for name, rows in samples.items():
        a, b = rows[0], rows[-1]
        near(name, "run_queue", between(name, "run_queue", a[0], b[0]), b[2] - a[2], b[0] - a[0])
    print(f"{compared} threads; off by {100 * worst:.2f} % at most")
elif sys.argv[3] == "faults":
    for name, rows in samples.items():
        for metric, column in (("minor_faults", 3), ("major_faults", 4)):
            found, counted = series[name]["totals"].get(metric, 0), rows[-1][column] - rows[0][column]
            assert found == counted, f"{name}: {metric} {found}, not {counted}"
            compared += counted
    assert compared > 5000, compared
    print(f"{compared} faults")
else:
    found = sum(one["totals"].get("block_sectors", 0) for one in series.values())
    assert found == int(sys.argv[4]) > 1000, (found, sys.argv[4])
    print(f"{found} sectors")
P

sectors() { awk -v name="${device#/dev/}" '$3 == name { print $6 + $10 }' /proc/diskstats; }

sample() { "$work" sample "$target" "$@"; }

begun() { "$scope" status | grep -q 'session .* running'; }

# In all threads, with nothing in the run queue and no request on its way.
asleep() { [ "$(sed 's/.*) //' /proc/"$target"/task/*/stat | cut -c1 | sort -u)" = S ] && [ "$(sed 's/.*) //' /proc/"$target"/task/*/stat | wc -l)" = 6 ]; }

capture() {
	local recorder before
	mkfifo in
	"$work" run "$device" < in > said &
	target=$!
	exec 7> in
	until_true asleep || return 1
	before=$(sectors)
	sample 1 > whole || return 1
	"$scope" record --block --memory --no-stacks --no-samples -p "$target" -d 60 -o a.trace > record.said 2>&1 &
	recorder=$!
	until_true begun || return 1
	echo >&7
	sleep 0.2
	sample 4 > seconds || return 1
	echo >&7
	until_true grep -q asleep said && until_true asleep || return 1
	kill -INT "$recorder"
	wait "$recorder" || { cat record.said; return 1; }
	sample 1 >> whole || return 1
	echo $(($(sectors) - before)) > sectors
	cp a.trace seconds whole sectors "$VM_OUT"
	echo >&7
	exec 7>&-
	wait "$target"
}

agrees() {	# NAME STEP SAMPLES WHAT [SECTORS]
	"$scope" metrics -i a.trace --by thread --step "$2" --format json > metrics.json || return 1
	if python3 check.py metrics.json "$3" "${@:4}" > why 2>&1; then
		echo "ok $1: $(cat why)"
	else
		echo "not ok $1: $(tail -n 1 why)"
		failures=$((failures + 1))
	fi
}

pass "a capture of a program that keeps its ledger in the kernel" capture
agrees "time on a CPU" 2ms seconds seconds
agrees "time in the run queue" 2ms seconds window
agrees "page faults" 1s whole faults
agrees "sectors of a device" 1s whole sectors "$(cat sectors)"
rmmod scope
exit "$failures"
