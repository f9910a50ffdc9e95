#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Give many inputs to the readers of files that others may write: none may break a reader, or take 5 s or 1 GB.
#
# Usage: tests/fuzz/mutants.sh [TRACES [TEXTS [SEED]]]      default 1000000 traces, 100000 of each text, seed 1
set -euo pipefail
cd "$(dirname "$0")/../.."

traces=${1:-1000000} texts=${2:-100000} seed=${3:-1} failed=0
make --no-print-directory SAN=1 fuzz-programs
run() {	# NAME INPUTS
	nice "build/san/fuzz/fuzz_$1" 1000000 "$seed" "tests/fuzz/corpus/$1" "$2" ||
		{ echo "not ok fuzz_$1: build/san/fuzz/fuzz_$1 -r build/san/fuzz/fuzz_$1.bad"; failed=1; }
}
run frames "$traces"
for name in script text signatures coz; do
	run "$name" "$texts"
done
run ctf $((texts / 20))
exit $failed
