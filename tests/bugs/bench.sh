#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The bug bench: every case with several seeds, and its healthy twin, and the table of the answers.
#
# Usage: tests/bugs/bench.sh [-a] [CASE...]     default: every case of bugs.tsv that has a bug
#   -a   run nothing: have the program report again on the traces that earlier runs left
# Environment: SEEDS (how many of each, 3), TWINS (healthy runs of each, as SEEDS),
#   OUT (build/bugs), SLOT (a command before each run); KERNEL: each run in a VM with that kernel of
#   scripts/kernel.sh and its scope.ko, both built before; and as run.sh takes them SECONDS_EACH,
#   HANG_WAIT, LEARN_SECONDS and SCOPE
# A run that is there already is not repeated; remove its directory below OUT, or all of OUT, for
# new ones. Exit 0 if all runs ended with a report, whatever it names, whose first screen has its form; the table goes to
# standard output.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

again=
[ "${1:-}" != -a ] || { again=1; shift; }
out=${OUT:-$(dirname "$servers_dir")/bugs}
seeds=${SEEDS:-3} twins=${TWINS:-${SEEDS:-3}}
failed=0
[ $# -gt 0 ] || set -- $(bug_cases)
mkdir -p "$out"

report_again() {	# DIR
	"${SCOPE:-$bugs_dir/../../build/user/scope}" report -v -i "$1/trace" -o "$1/report.txt" \
		>"$1/log" 2>&1 || return 1
	bug_screen "${SCOPE:-$bugs_dir/../../build/user/scope}" "$1" >>"$1/log" 2>&1 || return 1
	[ ! -e "$1/signatures.db" ] ||
		"${SCOPE:-$bugs_dir/../../build/user/scope}" report -v -i "$1/trace" --no-stacks \
			--db "$1/signatures.db" -o "$1/by-signatures.txt" >>"$1/log" 2>&1 &&
			"${SCOPE:-$bugs_dir/../../build/user/scope}" report -v -i "$1/trace" \
				--db "$1/signatures.db" -o "$1/by-both.txt" \
				>>"$1/log" 2>&1 || true
}

# Emulated, it all takes longer: the load, and what counts as long for a hang.
in_vm() {	# CASE[/twin] SEED DIR
	local top
	top=$(cd "$bugs_dir/../.." && pwd)
	[ ! -e "$3/facts" ] || return 0
	mkdir -p "$3"
	$SLOT "$top/tests/vm/run.sh" -k "$KERNEL" -m 2048 -t 240 -o "$3" -- \
		env SECONDS_EACH="${SECONDS_EACH:-12}" HANG_WAIT="${HANG_WAIT:-20}" \
		"$bugs_dir/guest.sh" "$top/build/kmod/$(cat "$top/build/kernels/$KERNEL/version")/scope.ko" \
		"$1" "$2" >"$3/vm.log" 2>&1
}

# A twin has seeds of its own, so that each is one more healthy run.
one() {	# CASE[/twin] SEED
	local dir=$out/${1/\//-}.$2
	if [ -n "$again" ]; then
		[ -e "$dir/facts" ] || return 0
		report_again "$dir" && return 0
	else
		if [ -n "${KERNEL:-}" ]; then in_vm "$@" "$dir"; else $SLOT "$bugs_dir/run.sh" "$@" "$dir"; fi &&
			return 0
	fi
	echo "bench: $1, seed $2: no report: see $dir/log" >&2
	failed=1
}

SLOT=${SLOT:-}
[ -n "$again" ] || "$bugs_dir/build.sh" "$@" $(for case; do bug_twin "$case"; done | sort -u) >&2
for case; do
	number=$(bug_names | grep -nx "$case" | cut -d: -f1)
	for ((seed = 1; seed <= seeds; seed++)); do
		one "$case" "$seed"
	done
	for ((seed = 1; seed <= twins; seed++)); do
		one "$case/twin" $((100 * number + seed))
	done
done
PYTHONDONTWRITEBYTECODE=1 python3 "$bugs_dir/summary.py" "$out" "$@" || failed=1
exit $failed
