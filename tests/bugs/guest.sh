#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Inside the guest: insert scope.ko and do one run of the bench with it.
#
# Usage: guest.sh MODULE CASE[/twin] SEED      leaves what run.sh leaves in $VM_OUT
set -euo pipefail
insmod "$1"
SOURCE=kmod "$(dirname "$0")/run.sh" "$2" "$3" "$VM_OUT"
rmmod scope
