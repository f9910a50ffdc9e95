#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# One run of the bench as a test: is the bug named among the first five, and nothing in a healthy
# twin?
#
# Usage: tests/bugs/answer.sh CASE[/twin] SEED DIR      as run.sh; DIR is removed first
# Exit 0 right, 1 wrong, 77 where perf events cannot be had (the last line says why).
set -euo pipefail
. "$(dirname "$0")/lib.sh"

rm -rf "$3"
if ! LEARN_SECONDS=0 "$bugs_dir/run.sh" "$@"; then
	cat "$3/log"
	! grep -q 'perf_event_open\|perf events\|tracefs' "$3/log" || exit 77
	exit 1
fi
cat "$3/report.txt"
PYTHONDONTWRITEBYTECODE=1 python3 "$bugs_dir/summary.py" --check "$3"
