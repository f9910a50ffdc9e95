#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Let libFuzzer run every fuzz program for a while. The inputs that it finds useful stay in build/libfuzzer/corpus. An
# input that breaks a program is kept in build/libfuzzer, and its name is printed.
#
# Usage: tests/fuzz/run.sh [SECONDS [NAME...]]      each program, default 60 seconds and all
# The seconds are CPU time: a busy machine takes longer, and tries the same number of inputs.
set -euo pipefail
cd "$(dirname "$0")/../.."

seconds=${1:-60}
[ $# -eq 0 ] || shift
names=("$@")
[ $# -gt 0 ] || for program in tests/fuzz/fuzz_*.c; do
	names+=("$(basename "$program" .c)")
done
failed=0
ticks=$(getconf CLK_TCK)

# Ends a process with the signal that libFuzzer expects, after it has used that many seconds of CPU time.
end_after() {	# PID SECONDS
	local stat field
	while stat=$(cat "/proc/$1/stat" 2>/dev/null); do
		# Fields are counted after the name, because it may have any characters: 12 and 13 are its own CPU time,
		# in ticks.
		read -ra field <<<"${stat##*) }"
		if [ $((field[11] + field[12])) -ge $(($2 * ticks)) ]; then
			kill -USR1 "$1" 2>/dev/null || true
			return
		fi
		sleep 0.5
	done
}

for name in "${names[@]}"; do
	corpus=build/libfuzzer/corpus/$name
	seeds=tests/fuzz/corpus/${name#fuzz_}
	mkdir -p "$corpus"
	[ -d "$seeds" ] || seeds=
	# shellcheck disable=SC2086 # no seeds, no argument
	"build/libfuzzer/fuzz/$name" -max_len=65536 -timeout=120 -rss_limit_mb=4096 \
		-artifact_prefix="build/libfuzzer/$name-" -print_final_stats=1 \
		"$corpus" $seeds >"build/libfuzzer/$name.log" 2>&1 &
	pid=$!
	end_after "$pid" "$seconds"
	if wait "$pid"; then
		echo "ok $name: $(awk '/number_of_executed_units/ { print $2 }' "build/libfuzzer/$name.log") inputs," \
			"$(find "$corpus" -type f | wc -l) kept"
	else
		echo "not ok $name: see build/libfuzzer/$name.log"
		tail -20 "build/libfuzzer/$name.log" | sed 's/^/    /'
		failed=1
	fi
done
exit $failed
