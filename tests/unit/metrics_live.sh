#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Threads pass bytes through a pipe, a socket and a file (also by pwritev, pwritev2 and preadv2) and wait on a futex. scope metrics
# counts the same calls and bytes as the threads themselves, exactly. The states of a thread that exists all the time add up to the
# whole time, and the CPU time of a thread that computes is within 4 % of the kernel's own.
#
# Exit status: 0 passed; 1 failed; 77 perf events cannot be used here.
. "$(dirname "$0")/live.bash"
gcc -O1 -g -Wall -Wextra -Werror -pthread -o "$dir/work" tests/unit/metrics_work.c || exit 1

cat > "$dir/check.py" << 'E'
"""Usage: check.py METRICS.json LEDGER"""
import json
import sys

document = json.load(open(sys.argv[1]))
STATES = ["run", "run_queue", "io_wait", "uninterruptible", "interruptible", "unknown"]
assert not document["lost"], f"{document['lost']} events lost"
by_name = {one["name"]: one for one in document["series"]}
for line in open(sys.argv[2]):
    name, value = line.split()
    if name == "end":
        break
    if name.startswith("run."):
        found = by_name[name[4:]]["totals"]["run"]
        assert abs(found - int(value)) <= 0.04 * int(value), f"{name}: {found}, not {value}"
        continue
    found = sum(by_name[thread]["totals"][name] for thread in ("give", "take"))
    assert found == int(value), f"{name}: {found}, not {value}"
    print(f"{name} {found}", end="; ")
for step in range(1, document["steps"] - 1):
    main = by_name["work"]["values"]
    known = sum(main.get(state, [0] * document["steps"])[step] for state in STATES)
    assert abs(known / document["step_ns"] - 1) <= 0.001, (step, known)
print("shares sum to 1")
E

# 0: all is as it should be; else $dir/why says what is not.
once() {
	local recorder
	rm -f "$dir"/a.trace* "$dir/in"
	mkfifo "$dir/in"
	"$dir/work" < "$dir/in" > "$dir/ledger" &
	target=$!
	exec 7> "$dir/in"
	until grep -q ready "$dir/ledger"; do sleep 0.05; done
	"$scope" record --source perf --no-stacks --no-samples -d 60 -p "$target" -o "$dir/a.trace" > "$dir/said" 2>&1 &
	recorder=$!
	begun "$recorder" "$dir/a.trace" || { kill "$recorder"; exit 1; }
	echo >&7
	sleep 2.5
	echo >&7
	until grep -q '^end' "$dir/ledger"; do sleep 0.05; done
	kill -INT "$recorder"
	wait "$recorder"
	echo >&7
	exec 7>&-
	wait "$target"
	target=
	sed -i /ready/d "$dir/ledger"
	"$scope" metrics -i "$dir/a.trace" --by thread --step 500ms --format json > "$dir/metrics.json" || exit 1
	python3 "$dir/check.py" "$dir/metrics.json" "$dir/ledger" 2> "$dir/why"
}

# Events are lost where this host is busy.
for _ in 1 2 3; do
	once && { echo "ok - metrics equal the program's own ledger"; exit 0; }
done
echo "not ok - metrics differ from the program's own ledger"
cat "$dir/why" "$dir/said"
exit 1
