#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The part of test_canary.sh that runs in the guest.
#
# Usage: canary_guest.sh SCOPE_KO
set -uo pipefail
insmod "$1" || exit 1
bad=0
capture_by=kmod tests/unit/canary_live.sh || bad=1
capture_by=kmod tests/unit/canary_watch_live.sh || bad=1
rmmod scope
exit $bad
