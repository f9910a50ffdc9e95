#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The part of test_device.sh that runs in the guest: RUNS times on a loop device that takes 30 ms and more, on the device of
# the device mapper below it, which has no requests of its own, and on a quick one.
#
# Usage: device_guest.sh SCOPE SCOPE_KO OUTSIDE_WORK
set -uo pipefail

scope=$1 module=$2 work=$3
dir=$(mktemp -d /dev/shm/device.XXXXXX)
cd "$dir" || exit 1
failures=0

insmod "$module" || exit 1
modprobe loop && modprobe dm-delay && modprobe ext4 || exit 1
# A file system on a device; its path is $device.
put() {	# NAME
	mkfs.ext4 -q "$device" && mkdir "$1" && mount "$device" "$1" || exit 1
}

loop_of() {	# FILE MB [OPTION...]
	truncate -s "$2M" "$1" && device=$(losetup -f --show "${@:3}" "$1") || exit 1
}

loop_of quick.img 64
put quick
# The slow one is a file on a file system whose device delays all that is read and written by 30 ms.
loop_of below.img 128
dmsetup create below --noudevsync --table "0 $((128 * 2048)) delay $device 0 30" || exit 1
[ -e /dev/mapper/below ] || dmsetup mknodes
device=/dev/mapper/below
put below
loop_of below/slow.img 64 --direct-io=on
put slow

cat > check.py <<'P'
"""Usage: check.py REPORT.json slow|below|quick"""
import json
import sys

document = json.load(open(sys.argv[1]))
causes = {cause["kind"]: cause for cause in document["causes"]}
if sys.argv[2] == "quick":
    assert "device" not in causes, causes
    sys.exit()
cause = causes["device"]
assert document["verdict"] == "outside" and cause["says"] in document["reason"], (document["verdict"], document["reason"])
# One goes through the delay once or more: for its bytes, and for what the file system below notes.
assert 25e6 <= (cause["queue_ns"] + cause["device_ns"]) / cause["requests"] <= 300e6, cause
assert {"slow": "loop", "below": "dm-"}[sys.argv[2]] in cause["device_name"], cause
assert cause["file"].endswith(f"/{sys.argv[2]}/log"), cause
P

once() {	# slow|below|quick
	local client server
	rm -f said a.trace
	"$work" store "$dir/$1/log" > said &
	client=$!
	until [ -s said ]; do sleep 0.05; done
	server=$(cat said)
	"$scope" record --block -p "$server" -d 15 -o a.trace > said 2>&1 || cat said
	kill -9 "$client" "$server"
	wait 2> /dev/null
	"$scope" report -i a.trace --format json > report.json && python3 check.py report.json "$1" 2> why
}

for name in slow below quick; do
	right=0
	for _ in $(seq "$RUNS"); do
		if once "$name"; then right=$((right + 1)); else tail -n 1 why; "$scope" report -i a.trace; fi
	done
	if [ "$right" = "$RUNS" ]; then
		echo "ok a $name device: $right of $RUNS"
	else
		echo "not ok a $name device: $right of $RUNS"
		failures=1
	fi
done
exit "$failures"
