#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Run every fuzz program for a while without libFuzzer, built with sanitizers. Part of make check.
#
# Usage: tests/fuzz/smoke.sh [SECONDS [SEED]]      each program, default 1 second and seed 1
set -euo pipefail
cd "$(dirname "$0")/../.."

make --no-print-directory SAN=1 fuzz-programs
for program in tests/fuzz/fuzz_*.c; do
	name=$(basename "$program" .c)
	inputs=
	# Each input is processed in a process of its own, and the program does not see the time of that process.
	[ "$name" != fuzz_ctf ] || inputs=$((${1:-1} * 30))
	"build/san/fuzz/$name" "${1:-1}" "${2:-1}" "tests/fuzz/corpus/${name#fuzz_}" $inputs
done
