#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The same samples, unwound and named by scope and by perf: at least 98 % of the frames are equal.
#
# Usage: tests/unit/perf_agree.sh
# Exit status: 0 passed; 1 failed; 77 perf is not there, or cannot sample here.
set -uo pipefail
cd "$(dirname "$0")/../.."

scope=build/user/scope
[ -x "$scope" ] || make -s user
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
perf record -q -e cpu-clock:u -F 99 -o "$dir/try" true >/dev/null 2>&1 ||
	{ echo "skipped: perf cannot sample here"; exit 77; }
bad=0

# agree NAME FLAGS: over two seconds of a CPU, however long it takes to get them
agree() {
	gcc $2 -o "$dir/$1" tests/unit/unwind_target.c -lpthread || return 1
	perf --buildid-dir "$dir/cache" record -q -e cpu-clock:u -F 499 --call-graph dwarf,16384 -o "$dir/$1.data" \
		-- sh -c 'ulimit -c 0; ulimit -S -t 2; "$0" run; :' "$dir/$1" >/dev/null 2>&1
	perf --buildid-dir "$dir/cache" script -i "$dir/$1.data" -F comm,tid,time,event,ip,sym --no-inline --ns > "$dir/theirs" 2>/dev/null
	python3 tests/unit/perf_agree.py text "$dir/$1.data" > "$dir/text" &&
		"$scope" dump --reverse "$dir/text" -o "$dir/trace" &&
		"$scope" export script "$dir/trace" > "$dir/ours" || return 1
	python3 tests/unit/perf_agree.py compare "$dir/theirs" "$dir/ours" 98
}

while read -r name flags; do
	# perf 6.1 gives now and then all stacks of a run with one frame each: another run has them. (Files of
	# runs before are kept from it: it takes programs by build-id from its cache, which all users share.)
	for _ in 1 2 3 4 5 6 7 8; do
		agree "$name" "$flags" > "$dir/why" 2>&1
		code=$?
		[ "$code" -eq 3 ] || break
	done
	if [ "$code" -eq 0 ]; then
		echo "ok - $name: $(head -n 1 "$dir/why")"
	else
		echo "not ok - $name"
		sed 's/^/    /' "$dir/why"
		bad=1
	fi
done <<-'END'
optimized -O2 -fomit-frame-pointer
plain -O0
fixed -O2 -no-pie -fno-pie
lto -O3 -flto
END
exit "$bad"
