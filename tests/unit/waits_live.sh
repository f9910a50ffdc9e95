#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Threads that wait for one another, traced by perf events on this host: scope waits names the stage for which all of them
# wait, and the time, in agreement with the program's own count; it names none if they take turns, or have no work.
#
# Usage: tests/unit/waits_live.sh [WAY...]
# Exit status: 0 passed; 1 failed; 77 perf events cannot be used here, or the host had too few CPUs for a program.
. "$(dirname "$0")/live.bash"
gcc -O1 -g -Wall -Wextra -Werror -pthread -o "$dir/work" tests/unit/waits_work.c || exit 1

cat > "$dir/check.py" << 'E'
"""Usage: check.py WAITS.json SAID FUNCTION|none"""
import json
import sys

document = json.load(open(sys.argv[1]))
_, stage_ns, stage_kept_ns, wall_ns = [line for line in open(sys.argv[2]) if line.startswith("stage ")][-1].split()
window_ns = document["window_ns"]


def add_up(node):
    """What is below a node sums up to it: nothing is lost, nothing counted twice."""
    below = node.get("for")
    assert below is None or abs(sum(map(add_up, below)) - node["ns"]) <= 1e-6 * window_ns, node
    return node["ns"]


for group in document["waits"]:
    add_up(group)
found = document["bottlenecks"]
# Where others have the CPUs nobody waits for the stage most of the time.
if sys.argv[3] != "none" and int(stage_kept_ns) < 0.5 * int(wall_ns):
    print("the stage was waited for too short by the program's own count:", stage_kept_ns, "of", wall_ns, file=sys.stderr)
    sys.exit(77)
if sys.argv[3] == "none":
    assert not found, found
    sys.exit()
assert len(found) == 1 and found[0]["function"] == sys.argv[3], found
assert found[0]["in"] == ("holds" if sys.argv[3] == "stage_asleep" else "runs"), found
kept_ns = found[0]["share"] * window_ns
# Who waits for a CPU does not wait for the stage, which may run all the same: on a busy host that is much.
assert 0.9 * int(stage_kept_ns) <= kept_ns <= 1.1 * int(stage_ns) + 0.02 * window_ns, (kept_ns, stage_kept_ns, stage_ns)
E
cat > "$dir/idle.py" << 'E'
"""A pool that waits for work: below 1 % of its threads' time are waits for a futex in the middle of work."""
import json
import sys

document = json.load(open(sys.argv[1]))
futex_ns = sum(group["blocked_ns"]["futex"] for group in document["waits"])
assert futex_ns < 0.01 * 4 * document["window_ns"], futex_ns
# Of the report's groups, too: nearly all of the pool's time is futex, and idle.
groups = json.load(open(sys.argv[2]))["groups"]
assert sum(group["blocked_ns"]["futex"] for group in groups) > 0.5 * sum(group["wall_ns"] for group in groups), groups
worked = [(group, group["in_requests"]) for group in groups if group["in_requests"]]
assert worked, groups
for group, work in worked:
    assert work["blocked_ns"]["futex"] < 0.01 * group["wall_ns"], group
E

# agrees WAY FUNCTION|none: 0, 1, or 77 where this host did not let the program do it.
agrees() {
	python3 "$dir/check.py" "$dir/waits.json" "$dir/said" "$2" 2> "$dir/why" || return
	[ "$1" = pool ] || return 0
	"$scope" report -i "$dir/a.trace" --format json > "$dir/report.json" || return 1
	python3 "$dir/idle.py" "$dir/waits.json" "$dir/report.json" 2> "$dir/why"
}

# expect WAY FUNCTION|none: three times where this host is busy.
expect() {
	local way=$1 came=1
	[ ${#ways[@]} -eq 0 ] || [[ " ${ways[*]} " == *" $way "* ]] || return 0
	for _ in 1 2 3; do
		rm -f "$dir"/a.trace*
		"$scope" record --source perf -o "$dir/a.trace" -- "$dir/work" "$way" 3 > "$dir/said" 2>&1 ||
			{ cat "$dir/said"; exit 1; }
		"$scope" waits -i "$dir/a.trace" --format json > "$dir/waits.json" || exit 1
		agrees "$way" "$2" && { echo "ok - $way"; return 0; }
		came=$?
	done
	[ "$came" != 77 ] || { echo "skip - $way: $(cat "$dir/why")"; skipped+=" $way"; return 0; }
	echo "not ok - $way"
	cat "$dir/why" "$dir/said"
	"$scope" waits -v -i "$dir/a.trace"
	bad=1
}

skipped=
ways=("$@")
expect knot stage_compute
expect push stage_compute
expect asleep stage_asleep
expect even none
expect ring none
expect pool none
# A condition variable of musl looks like a mutex: a pool that waits at one is idle all the same.
if command -v musl-gcc > "$dir/musl"; then
	cp "$dir/work" "$dir/work.glibc"
	musl-gcc -static -O1 -g -Wall -Wextra -Werror -pthread -o "$dir/work" tests/unit/waits_work.c || exit 1
	expect pool none
	cp "$dir/work.glibc" "$dir/work"
fi
[ "$bad" = 0 ] || exit 1
[ -z "$skipped" ] || { echo "skipped: this host had too few CPUs for$skipped, of all others each is right"; exit 77; }
