#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The part of test_tables.sh that runs in the guest.
#
# Usage: tables_guest.sh SCOPE SCOPE_KO OLDER_KO TARGET LATE     LATE: of late_library.c, its library beside it
set -uo pipefail

scope=$1 module=$2 older=$3 program=$4 late=$5
dir=$(mktemp -d /dev/shm/tables.XXXXXX)
. "$(dirname "$0")/guest.bash"

# Large rings: how fast an emulated machine reads them depends on what its host does besides.
rings="--subbuf-count 64"

start() {	# MODE
	"$program" "$1" >"$dir/target" &
	target=$!
	until_true grep -q '^main' "$dir/target"
}
end_target() { kill -9 "$target" 2>/dev/null; wait "$target" 2>/dev/null; }

# FILE: what its metadata has of walks and copies, into walked, copied and reasons.
counts() {
	"$scope" dump "$1" >"$1.dump" || return 1
	walked=$(sed -n 's/.*stacks_walked[^0-9]*\([0-9]*\).*/\1/p' "$1.dump" | head -1)
	reasons=$(sed -n 's/.*stacks_copied *//p' "$1.dump" | head -1)
	copied=$(grep -o '[0-9]*' <<<"$reasons" | awk '{ sum += $1 } END { print sum + 0 }')
	walked=${walked:-0}
	echo "walked $walked, copied $copied: $reasons"
}

# Its stacks are walked, all to the start of the thread, with the functions of the program in them.
walks() {	# MODE
	start "$1"
	says 0 ' 0 lost' record -p "$target" -d 6 --stack-budget 0 $rings -o "$dir/a.trace" || { end_target; return 1; }
	end_target
	counts "$dir/a.trace" || return 1
	[ "$walked" -gt 50 ] || { echo "only $walked walked"; head -40 "$dir/a.trace.dump"; return 1; }
	# Stacks are copied until the first tables are there, which takes an emulated machine a second or two.
	((walked > 2 * copied)) || { echo "$copied copied"; return 1; }
	# Copies are marked as unwound.
	! grep -w stack "$dir/a.trace.dump" | grep -v unwound | grep 'broken\|cut' | head -5 | grep . ||
		{ echo "walks that do not end"; return 1; }
	"$scope" export folded "$dir/a.trace" -o "$dir/folded" || return 1
	grep -q 'main;.*tree;.*leaf\|main;.*tree;.*sorter' "$dir/folded" || { head -20 "$dir/folded"; return 1; }
}

# The program of a process changes: mappings of the old one are not used for it.
follows_exec() {
	bash -c "sleep 1; exec $program run" >"$dir/target" &
	target=$!
	says 0 ' 0 lost' record -p "$target" -d 9 --stack-budget 0 $rings -o "$dir/b.trace" || { end_target; return 1; }
	end_target
	counts "$dir/b.trace" || return 1
	[ "$walked" -gt 50 ] && ((walked > 2 * copied))
}

# Code of a library that is opened late: stacks are copied until its mapping and its table are there. Samples are 2 ms
# apart, so their number is a time of the guest.
follows_dlopen() {
	"$late" "$late.so" 6 >"$dir/target" &
	target=$!
	until_true grep -q main "$dir/target"
	says 0 ' 0 lost' record -p "$target" -d 9 --stack-budget 0 $rings -o "$dir/d.trace" || { end_target; return 1; }
	end_target
	counts "$dir/d.trace" || return 1
	unmapped=$(sed -n 's/.*unmapped \([0-9]*\).*/\1/p' <<<"$reasons")
	"$scope" export folded "$dir/d.trace" -o "$dir/folded" || return 1
	grep -q 'main;late_outer;late_inner' "$dir/folded" || { head -20 "$dir/folded"; return 1; }
	((${unmapped:-0} <= 250 && walked > 2 * copied))
}

# A module of before tables: all is copied, which one sentence says.
copies_by_an_older_module() {
	local status=0
	insmod "$older" || return 1
	start run
	says 0 ' 0 lost' record -p "$target" -d 2 --stack-budget 0 $rings -o "$dir/e.trace" || status=1
	end_target
	rmmod scope && [ "$status" = 0 ] && counts "$dir/e.trace" || return 1
	[ "$(grep -c 'cannot walk stacks by unwind tables, so they are copied' "$dir/stderr")" = 1 ] || { cat "$dir/stderr"; return 1; }
	[ "$walked" = 0 ] && [ "$(grep -cw unwound "$dir/e.trace.dump")" -gt 20 ]
}

# Where that is asked for.
copies() {
	start run
	says 0 ' 0 lost' record -p "$target" -d 3 --unwinder copy --stack-budget 0 $rings -o "$dir/c.trace" || { end_target; return 1; }
	end_target
	counts "$dir/c.trace" || return 1
	[ "$walked" = 0 ] && [ -z "$reasons" ]
}

pass copies_by_an_older_module copies_by_an_older_module
insmod "$module" || exit 1
pass walks_without_frame_pointers walks run
pass walks_through_signal_handlers walks signals
pass walks_among_60000_mappings walks maps
pass follows_exec follows_exec
pass follows_dlopen follows_dlopen
pass copies_where_asked copies
pass unloads rmmod scope
rm -rf "$dir"
[ "$failures" = 0 ]
