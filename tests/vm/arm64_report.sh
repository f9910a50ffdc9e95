#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Inside the arm64 guest: the static scope names the bug of tests/vm/planted.c.
#
# Usage: arm64_report.sh SCOPE SCOPE_KO PLANTED
set -uo pipefail

scope=$1 module=$2 planted=$3
insmod "$module" || { echo "not ok arm64_report - no module"; exit 1; }
"$planted" >/target &
client=$!
sleep 1
"$scope" report -v -p "$(cat /target)" -d 15 --source kmod >/report 2>/stderr
status=$?
kill -9 "$client"
wait 2>/dev/null
rmmod scope || status=1
if [ "$status" -eq 0 ] && grep -q '^  1  checksum_twice ' /report; then
	echo 'ok arm64_report'
	exit 0
fi
echo 'not ok arm64_report'
sed 's/^/# /' /report /stderr
exit 1
