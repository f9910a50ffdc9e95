#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The critical paths of ten requests equal those that another program finds in the switches and wakings of the trace's CTF export.
# The server's workers use a CPU, a disk and a lock in turn (knots.py); there are three seeds.
#
# Usage: tests/unit/critical_paths.sh      SCOPE= names the program (default build/san/scope)
. "$(dirname "$0")/begin.bash"

command -v babeltrace2 > "$work/which" || { echo "skipped: install babeltrace2"; exit 77; }
for seed in 1 2 3; do
	rm -rf "$work/ctf" "$work/trace"
	PYTHONDONTWRITEBYTECODE=1 python3 tests/unit/knots.py --print "$seed" > "$work/text"
	"$scope" dump --reverse "$work/text" -o "$work/trace"
	"$scope" export ctf "$work/trace" -o "$work/ctf"
	babeltrace2 --clock-cycles --no-delta "$work/ctf" > "$work/ctf.text"
	"$scope" waits --slowest 10 --format json -i "$work/trace" > "$work/paths.json"
	python3 tests/unit/critical_paths.py "$work/paths.json" "$work/ctf.text" 10 8
done
