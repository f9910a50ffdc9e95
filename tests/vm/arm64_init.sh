#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# First process of the arm64 guest: run the module's tests named on the kernel's command line, and
# leave their status on the console.

/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
mkdir -p /dev/shm
mount -t tmpfs tmpfs /dev/shm
mount -t debugfs debugfs /sys/kernel/debug
mount -t tracefs tracefs /sys/kernel/tracing
mount -t cgroup2 cgroup2 /sys/fs/cgroup
exec </dev/null
echo 0 >/proc/sys/kernel/kptr_restrict
ip link set lo up

echo 'scope-vm: command starts' >/dev/kmsg
# The kernel puts words of its command line that it does not know into the environment.
# shellcheck disable=SC2154,SC2086 # a list of words
/scope/tests/kmod/run.sh /scope/scope.ko ${vm_tests//,/ }
status=$?
/scope/tests/vm/arm64_report.sh /scope/scope /scope/scope.ko /scope/planted || status=1
echo 'scope-vm: command ended' >/dev/kmsg
# If the guest ends in another way, this line is missing.
echo "scope-vm: status $status"
sync
poweroff -f
