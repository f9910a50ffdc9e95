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

cat > press.py <<'P'
"""Usage: press.py METRICS.json stalls PRESSURE_NS | faults MAJOR | interrupts BEFORE AFTER HZ
PRESSURE_NS: what the kernel counted for the control group of the only thread. BEFORE, AFTER: interrupts and softirqs of the host."""
import json
import sys

document = json.load(open(sys.argv[1]))
assert not document["lost"], f"{document['lost']} events lost"
total = {}
for one in document["series"]:
    for metric, value in one["totals"].items():
        total[metric] = total.get(metric, 0) + value
# No time of a thread is more than all of it, in any step.
for one in document["series"]:
    for i in range(document["steps"] if one["name"].startswith("ledger_work") else 0):
        known = sum(one["values"].get(state, [0] * document["steps"])[i] for state in
                    ("run", "run_queue", "io_wait", "uninterruptible", "interruptible", "unknown"))
        for metric in ("group_reclaim_time", "page_wait_time", "interrupt_time", "softirq_time"):
            taken = one["values"].get(metric, [0] * document["steps"])[i]
            assert taken <= known, f"step {i}: {metric} {taken} of {known}"
if sys.argv[2] == "stalls":
    found, counted = total.get("group_reclaim_time", 0) + total.get("page_wait_time", 0), int(sys.argv[3])
    assert counted > 5_000_000 and abs(found - counted) <= 0.1 * counted, f"{found / 1e6:.2f} ms, not {counted / 1e6:.2f}"
    assert total.get("group_reclaim_time", 0) > 0
    print(f"{found / 1e6:.2f} ms, {counted / 1e6:.2f} by /sys/fs/cgroup/…/memory.pressure")
elif sys.argv[2] == "faults":
    assert total["major_faults"] == int(sys.argv[3]) > 300, (total["major_faults"], sys.argv[3])
    print(f"{total['major_faults']} major faults")
else:
    before, after, hz = map(int, sys.argv[3:6])
    ticks = total["run"] / 1e9 * hz
    assert 0.9 * ticks <= total["interrupts"] <= after - before, (total["interrupts"], ticks, after - before)
    took = total.get("interrupt_time", 0) + total.get("softirq_time", 0)
    assert 0 < took < total["run"], (took, total["run"])
    print(f"{total['interrupts']} of the host's {after - before}, {ticks:.0f} ticks of the timer while it ran")
P

group=$dir/cgroup/small
pressure() { sed -n 's/^some.*total=//p' "$group/memory.pressure"; }
major() { sed 's/.*) //' "/proc/$target/stat" | cut -d ' ' -f 10; }

# Interrupts of all kinds, and softirqs.
interrupts() { awk '$1 ~ /:$/ && $2 ~ /^[0-9]+$/ { sum += $2 } END { print sum }' /proc/interrupts /proc/softirqs; }

# A thread that needs more memory than its control group may have.
capture_press() {
	local recorder before
	mkdir cgroup && mount -t cgroup2 none cgroup && mkdir -p "$group" && echo +memory > cgroup/cgroup.subtree_control &&
		echo 16M > "$group/memory.max" || return 1
	truncate -s 64M swap.img && swap=$(losetup -f --show swap.img) && mkswap "$swap" > /dev/null && swapon "$swap" ||
		return 1
	mkfifo press.in
	"$work" press 32 < press.in > press.said &
	target=$!
	exec 7> press.in
	echo "$target" > "$group/cgroup.procs"
	"$scope" record --memory --interrupts --no-stacks --no-samples -p "$target" -d 60 -o press.trace > record.said 2>&1 &
	recorder=$!
	until_true begun || return 1
	before="$(pressure) $(major) $(interrupts)"
	echo >&7
	until_true grep -q asleep press.said || return 1
	echo "$before $(pressure) $(major) $(interrupts)" > press.ledger
	kill -INT "$recorder"
	wait "$recorder" || { cat record.said; return 1; }
	cp press.trace press.ledger "$VM_OUT"
	echo >&7
	exec 7>&-
	wait "$target"
	swapoff "$swap"
	"$scope" metrics -i press.trace --by thread --step 100ms --format json > press.json
}

press_agrees() {	# NAME WHAT...
	if python3 press.py press.json "${@:2}" > why 2>&1; then
		echo "ok $1: $(cat why)"
	else
		echo "not ok $1: $(tail -n 1 why)"
		failures=$((failures + 1))
	fi
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
pass "a capture of a program that is short of memory" capture_press
read -r pressure_before major_before interrupts_before pressure_after major_after interrupts_after < press.ledger
press_agrees "time in memory stalls" stalls $((1000 * (pressure_after - pressure_before)))
press_agrees "page faults that wait for a disk" faults $((major_after - major_before))
press_agrees "interrupts" interrupts "$interrupts_before" "$interrupts_after" 250
rmmod scope
exit "$failures"
