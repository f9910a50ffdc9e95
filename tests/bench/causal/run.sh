#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Compare the virtual speedups that Scope and Coz predict with the same programs really made faster.
#
# Usage: tests/bench/causal/run.sh [PROGRAM...]    SEEDS="1 2 3"  KERNEL= as for tests/bench/run.sh (6.1)
#                                                  SECONDS_EACH=11, of each tool at each program
#                                                  PROCESSORS=2, or 1, which counts instructions
# Programs: those of work.c, all of them without arguments. For each seed a guest is booted, in which
# program, Scope, program, Coz, program take turns. Results stay in build/bench/causal-PROCESSORS, and the
# table is of all that lie there: remove them for a fresh start. Two processors of the emulator are two
# threads of the host: on a busy host all intervals are wide. One that counts instructions, 8 ns each, is
# exact on any host, but threads that work never do so at the same time.
set -euo pipefail
cd "$(dirname "$0")/../../.."
build=$(mkdir -p "${BUILD:-build}" && cd "${BUILD:-build}" && pwd)
kernel=${KERNEL:-6.1}
processors=${PROCESSORS:-2}
results=$build/bench/causal-$processors
seconds=${SECONDS_EACH:-11}
machine=(-c "$processors") unit=100000
[ "$processors" -gt 1 ] || machine+=(-i) unit=25000
[ $# -gt 0 ] || set -- serial stages beside lock futex race chains sleep processes
scripts/setup.sh build vm bench
unpacked=$(scripts/kernel.sh "$kernel")
module=$(scripts/kernel.sh -x "$kernel" scripts/kmod.sh "$unpacked/headers")
mkdir -p "$results"
# Coz wants the name of the file as the compiler got it, and no newer line tables.
source=$PWD/tests/bench/causal/work.c
gcc -O1 -gdwarf-3 -Wall -Wextra -pthread -o "$results/work" "$source" -ldl
for seed in ${SEEDS:-1 2 3}; do
	out=$results/guest
	rm -rf "$out"
	VM_THREAD=multi VM_SHIFT=3 tests/vm/run.sh -k "$kernel" "${machine[@]}" -m 2048 -t 1500 -o "$out" -- \
		env UNIT="$unit" tests/bench/causal/guest.sh "$build/user/scope" "$module" "$results/work" "$source" \
		"$seconds" "$seed" "$@"
	cat "$out/runs" >>"$results/runs"
	cp "$out"/*.scope "$out"/*.coz "$results/"
done
for profile in "$results"/*.coz; do
	# A profile without experiments has nothing to be read.
	"$build/user/scope" delay read "$profile" --seed 1 --format json -o "$profile.json" 2>/dev/null ||
		rm -f "$profile.json"
done
exec python3 tests/bench/causal/table.py "$results"
