#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The part of test_hostile.sh that runs in the guest.
#
# Usage: hostile_guest.sh SCOPE_KO
set -uo pipefail
insmod "$1" || exit 1
modprobe fuse
# 20,000 children get numbers that others had many times over.
echo 2000 > /proc/sys/kernel/pid_max
capture_by=kmod LIMIT_MS=30000 tests/unit/hostile_live.sh stack flip fuse forks exec_other chroot || exit 1
rmmod scope
