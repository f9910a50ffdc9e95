#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A healthy server that the host keeps off the CPU, whose CPUs are busy with packets, or that waits for a slow process of this
# host over the loopback, traced by perf events: the report names the reason and the process.
# These processes have priority over all others of this host (nice), so it is known which one takes the CPU.
#
# Usage: tests/unit/outside_live.sh [WAY...]; ways: limit taken packets peer poll healthy
# RUNS=N: prints how many of N runs report it; without RUNS one of three runs has to. With RUNS the host has to be idle, and no cause outside
# may be named for the healthy server; without RUNS other processes may take the CPU from it.
# Exit status: 0 passed; 1 failed; 77 perf events cannot be used here.
. "$(dirname "$0")/live.bash"
gcc -O1 -g -Wall -Wextra -Werror -o "$dir/work" tests/unit/outside_work.c || exit 1
cp "$dir/work" "$dir/thief"

cat > "$dir/check.py" << 'P'
"""Usage: check.py REPORT.json KIND|none|none-of-any-kind [PROCESS]"""
import json
import sys

document = json.load(open(sys.argv[1]))
kinds = [cause["kind"] for cause in document["causes"]]
if sys.argv[2] == "none":
    # Others on a busy host may take the CPU in fact.
    assert not set(kinds) - {"taken", "stolen", "interrupts"} and document["verdict"] in ("nothing", "outside"), document["reason"]
    sys.exit()
if sys.argv[2] == "none-of-any-kind":
    assert not kinds and document["verdict"] == "nothing", (kinds, document["verdict"], document["reason"])
    sys.exit()
cause = document["causes"][kinds.index(sys.argv[2])]
assert document["verdict"] == "outside", (document["verdict"], document["reason"])
assert cause["says"] in document["reason"], document["reason"]
if sys.argv[2] == "throttled":
    assert kinds == ["throttled"] and cause["quota_us"] == 3000 and cause["cgroup"].endswith("/scope-live"), cause
    assert cause["throttled"] >= 0.8 * cause["periods"] >= 8, cause
    # The rows of each second have what the verdict has.
    metrics = json.load(open(sys.argv[1].replace("report.json", "metrics.json")))
    host, = [line for line in metrics["series"] if line.get("host")]
    assert abs(host["totals"]["throttled"] - cause["ns"]) <= 1e6, (host["totals"], cause)
    assert sum(host["values"]["throttled"]) == host["totals"]["throttled"] and min(host["values"]["throttled"][1:-1]) > 0
elif sys.argv[2] == "interrupts":
    assert cause["share"] >= 0.4, cause
else:
    assert cause["process"] == sys.argv[3], cause
if sys.argv[2] == "peer":
    # The tree names that process, too, and not a network peer.
    ends = [end for group in document["waits"] for end in group["for"] if "process" in end]
    assert ends and ends[0]["process"] == {"name": sys.argv[3], "pid": cause["pid"]}, document["waits"]
    assert 2e6 <= cause["ns"] / cause["requests"] <= 50e6 and cause["address"].startswith("127.0.0.1:"), cause
P

# A group with a limit of 3 ms per 100 ms, of version 1 or 2; its path in $group. 1: none can be made.
limited() {
	for group in /sys/fs/cgroup/cpu/scope-live /sys/fs/cgroup/cpu,cpuacct/scope-live; do
		if [ -d "${group%/*}" ] && mkdir -p "$group" 2>/dev/null; then
			echo 3000 > "$group/cpu.cfs_quota_us" && return
		fi
	done
	group=/sys/fs/cgroup/scope-live
	mkdir -p "$group" 2>/dev/null && echo "3000 100000" 2>/dev/null > "$group/cpu.max"
}

# Packets of a network of their own, on all CPUs; $packets is the process that sends them. 1: there is no such network here.
flood() {
	local mask
	mask=$(printf '%x' $(((1 << $(nproc)) - 1)))
	ip netns add "scope-live-$$" 2> "$dir/said" || return 1
	ip netns exec "scope-live-$$" sh -c "ip link set lo up && echo $mask > /sys/class/net/lo/queues/rx-0/rps_cpus &&
		exec nice -n -15 '$dir/work' packets" 2> "$dir/said" &
	packets=$!
	while [ "$(cat "/proc/$packets/comm" 2> "$dir/why")" != work ] && kill -0 "$packets" 2> "$dir/why"; do sleep 0.01; done
	ip netns del "scope-live-$$"
	sleep 0.3
	kill -0 "$packets" 2> "$dir/why"
}

# once WAY "MICROSECONDS [EACH [poll]]" KIND [PROCESS]: 0 the report of one run says so, 1 not, 77 it cannot be run here.
once() {
	local way=$1 server client thieves=
	rm -f "$dir"/a.trace* "$dir/said"
	# shellcheck disable=SC2086
	nice -n -15 "$dir/work" serve $2 > "$dir/said" &
	client=$!
	until [ -s "$dir/said" ]; do sleep 0.01; done
	server=$(cat "$dir/said")
	if [ "$way" = limit ]; then
		limited && echo "$server" > "$group/cgroup.procs" || { kill "$client"; return 77; }
	elif [ "$way" = taken ]; then
		taskset -cp 0 "$server" > "$dir/said" || exit 1
		for _ in 1 2; do
			taskset -c 0 nice -n -15 "$dir/thief" burn &
			thieves+=" $!"
		done
	elif [ "$way" = packets ]; then
		flood || { kill "$client"; return 77; }
		thieves=$packets
	fi
	"$scope" record --source perf -p "$server" -d "${seconds:-4}" -o "$dir/a.trace" > "$dir/said" 2>&1 || { cat "$dir/said"; bad=1; }
	# shellcheck disable=SC2086
	kill -9 "$client" "$server" $thieves
	wait 2>/dev/null
	[ "$way" != limit ] || rmdir "$group"
	"$scope" report -i "$dir/a.trace" --format json > "$dir/report.json" || exit 1
	if [ "$way" = limit ]; then
		"$scope" metrics -i "$dir/a.trace" --step 500ms --format json > "$dir/metrics.json" || exit 1
	fi
	python3 "$dir/check.py" "$dir/report.json" "${@:3}" 2> "$dir/why"
}

# The same: three times where this host is busy, or RUNS times.
expect() {
	local way=$1 right=0 came
	[ ${#ways[@]} -eq 0 ] || [[ " ${ways[*]} " == *" $way "* ]] || return 0
	for run in $(seq "${RUNS:-3}"); do
		once "$@"
		came=$?
		if [ "$came" = 0 ]; then
			right=$((right + 1))
			[ -n "${RUNS:-}" ] || { echo "ok - $way"; return; }
		elif [ "$came" = 77 ]; then
			echo "ok - $way # skipped: what it needs cannot be made here"
			return
		elif [ -n "${RUNS:-}" ]; then
			echo "# $way, run $run: $(tail -n 1 "$dir/why")"
		fi
	done
	[ -z "${RUNS:-}" ] || echo "# $way: $right of $RUNS"
	[ "$right" != "${RUNS:-}" ] || { echo "ok - $way"; return; }
	echo "not ok - $way"
	cat "$dir/why" "$dir/said"
	"$scope" report -i "$dir/a.trace"
	bad=1
}

ways=("$@")
expect limit 300 throttled
expect taken 4000 taken thief
expect packets 4000 interrupts
seconds=2 expect peer "100 25" peer backend
seconds=2 expect poll "100 25 poll" peer backend
seconds=${RUNS:+2}
expect healthy 300 "none${RUNS:+-of-any-kind}"
exit "$bad"
