#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Measure the cost to record requests and bios to block devices, in guest instructions: lines "name value unit" on
# stdout.
#
# Usage: tests/bench/disks.sh      kernel as for run.sh (KERNEL=6.1)
# For one read of 4 KiB that goes around the page cache, and for one flush:
#   disk_request_added_insns   of a device that makes requests (null_blk): a record when it is issued, one when it is done
#   disk_bio_added_insns       of one that takes bios (brd): one record
#   disk_linear_added_insns    of dm-linear on null_blk, which passes the bio on: the records of the request
#   disk_flush_added_insns     of a loop device: one record of the bio
#   ..._off_insns              the same where block devices are not recorded; ..._bytes: of record for each
# Each is the difference of two sessions that record switches and wakings, one of them these too; off: of a session
# without, and none at all. A read of null_blk and brd does not wait; a flush wakes a worker, which off shows.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$(cd "${BUILD:-build}" && pwd)
kernel=${KERNEL:-6.1}
bin=$build/user/bench
. tests/bench/modules.sh

scope=$(scope_module)
# shellcheck disable=SC2016 # expanded in the guest
tests/vm/run.sh -i -k "$kernel" -t 600 -- bash -euc '
	. tests/bench/tracers.sh
	modprobe null_blk queue_mode=2 irqmode=0 gb=1 nr_devices=1
	modprobe brd rd_nr=1 rd_size=8192
	modprobe dm-mod
	dd if=/dev/zero of=/dev/ram0 bs=1M count=8 status=none
	echo none > /sys/block/nullb0/queue/scheduler
	modprobe loop
	truncate -s 8M /dev/shm/disk
	losetup /dev/loop0 /dev/shm/disk
	dmsetup create scope_bench --noudevsync --table "0 16384 linear /dev/nullb0 0"
	dmsetup mknodes
	load_scope "$2" "$1"
	for mode in none sched disks; do
		for loop in request bio linear flush; do "$1" "$mode" "$loop" | sed "s/^/$mode $loop /"; done
	done
	rmmod scope
' bash "$bin/calls" "$scope" | awk '
	{ value[$1, $2, $3] = $4 }
	END {
		count = split("request bio linear flush", loop, " ")
		for (i = 1; i <= count; i++) {
			if (!value["disks", loop[i], "all"])
				exit 1
			# A flush waits for another thread, so that no round of it is free of switches.
			what = loop[i] == "flush" ? "all" : "floor"
			printf "disk_%s_added_insns %.0f instructions\n", loop[i],
				value["disks", loop[i], what] - value["sched", loop[i], what]
			printf "disk_%s_off_insns %.0f instructions\n", loop[i],
				value["sched", loop[i], what] - value["none", loop[i], what]
			printf "disk_%s_bytes %.1f bytes\n", loop[i],
				value["disks", loop[i], "bytes"] - value["sched", loop[i], "bytes"]
		}
	}'
