#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The part of test_knot.sh that runs in the guest.
#
# Usage: knot_guest.sh SCOPE SCOPE_KO WAITS_WORK
set -uo pipefail

scope=$1 module=$2 work=$3
dir=$(mktemp -d /dev/shm/knot.XXXXXX)
cd "$dir" || exit 1
failures=0

insmod "$module" || exit 1

cat > check.py <<'P'
"""Usage: check.py FUNCTION WAITS.json DELAY.json ITEMS ITEMS_50
Gains are compared as the share of an item's time that is saved if the bottleneck takes half as long."""
import json
import sys

waits, delay = json.load(open(sys.argv[2])), json.load(open(sys.argv[3]))
first = waits["bottlenecks"][0]
assert first["function"] == sys.argv[1], first
report = 1 - 1 / (1 + first["gain"])
site, = delay["sites"]
assert ("syscall:" + first["call"] if "call" in first else sys.argv[1]) in site["site"], (first, site)
assert site["period"], site
fit = site["period"]
real = 1 - int(sys.argv[4]) / int(sys.argv[5])
text = f"the report says {100 * report:.1f} %, scope delay {50 * fit['slope']:.1f} %, the faster program gains {100 * real:.1f} %"
assert abs(fit["slope"] / 2 - real) <= 0.1 and abs(report - real) <= 0.1, text
print(text)
P

# Of the way disk the device has the time that a write takes: 2 ms, or PERCENT of it.
set_up() {	# WAY PERCENT
	[ "$1" = disk ] || return 0
	modprobe -r null_blk
	modprobe null_blk nr_devices=1 queue_mode=2 irqmode=2 completion_nsec=$(($2 * 20000)) && [ -b /dev/nullb0 ]
}
export WAITS_DEVICE=/dev/nullb0

# The same length for both. The program says how many items were done.
items() {	# WAY PERCENT
	set_up "$@" || return 1
	"$work" "$1" 4 "$2" | sed -n 's/^items //p'
}

predicted() {	# WAY FUNCTION
	local way=$1 whole half target
	whole=$(items "$way" 100)
	half=$(items "$way" 50)
	set_up "$way" 100 || return 1
	"$work" "$way" 600 > said &
	target=$!
	until [ "$(cat "/proc/$target/task"/*/status 2> said.err | awk '/^voluntary/ { sum += $2 } END { print sum + 0 }')" -ge 100 ]; do
		sleep 0.05
	done
	"$scope" record -p "$target" -d 4 -o "$way.trace" > said 2>&1 || cat said
	"$scope" waits -i "$way.trace" --format json > waits.json
	"$scope" delay speedup -p "$target" --top 1 -i "$way.trace" --progress function:item_done --repeats 3 --length 500ms --seed 1 \
		--format json > delay.json 2> said || cat said
	cp "$way.trace" waits.json delay.json "$VM_OUT"
	kill -9 "$target"
	wait "$target" 2> said
	python3 check.py "$2" waits.json delay.json "$whole" "$half" > why 2>&1
}

for way in push asleep disk; do
	case $way in
	asleep)	stage=stage_asleep ;;
	disk)	stage=stage_write ;;
	*)	stage=stage_compute ;;
	esac
	if predicted "$way" "$stage"; then
		echo "ok $way: $(cat why)"
	else
		echo "not ok $way: $(tail -n 1 why)"
		failures=1
	fi
done
rmmod scope
exit "$failures"
