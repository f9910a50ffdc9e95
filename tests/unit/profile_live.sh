#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A server is made from a profile, and traced; its profile equals the one from which it was made. Then a second server is made from the
# measured profile; its profile equals that of the first.
#
# Usage: tests/unit/profile_live.sh [SHAPE...]     SHAPE: of tests/synthetic/make_profile.py
# Exit status: 0 passed; 1 failed; 77 perf events cannot be used here.
. "$(dirname "$0")/live.bash"
requests=3000
gcc -O2 -Wall -Wextra -Werror -pthread -o "$dir/synthetic" tests/synthetic/*.c -ljansson -lm || exit 1

# profile MADE_FROM MEASURED: runs a server of the first one under its load, and writes its profile.
profile() {
	local port recorder word
	coproc WORK { exec "$dir/synthetic" server "$1" 2> "$dir/missing"; }
	target=$WORK_PID
	read -r word server port <&"${WORK[0]}" || { cat "$dir/missing"; return 1; }
	"$scope" record -p "$server" --source perf --no-stacks --subbuf-count 64 -d 600 -o "$dir/a.trace" > "$dir/said" 2>&1 &
	recorder=$!
	begun "$recorder" "$dir/a.trace" || { cat "$dir/said"; return 1; }
	read -r word answered < <(timeout 300 "$dir/synthetic" load "$1" "$port" "$requests")
	capture_end || return 1
	kill -KILL "$target"
	wait "$target" 2>/dev/null
	target=
	[ "$answered" = "$requests" ] || { echo "$answered requests of $requests were answered"; return 1; }
	# What begins or ends threads may be in few units.
	awk -v most=$((requests / 100)) '{ for (i = 1; i < NF; i++) if ($(i + 1) == "units" && $i > most) print }' "$dir/missing" |
		grep . && return 1
	rm -f "$2"
	"$scope" model -i "$dir/a.trace" --profile --no-stacks -o "$2"
}

# A busy host may lose events, or let the last ones come too late.
try() {	# NAME MADE_FROM MEASURED
	for _ in 1 2 3; do
		profile "$2" "$3" || return 1
		PYTHONDONTWRITEBYTECODE=1 python3 tests/synthetic/compare.py "$2" "$3" "$requests" > "$dir/found" 2> "$dir/why" &&
			{ echo "ok - $1: $(cat "$dir/found")"; return; }
	done
	echo "not ok - $1: $(cat "$dir/why")"
	bad=1
}

again="event_loop thread_per_connection pool prefork $*"
shapes=("$@")
[ $# -gt 0 ] || shapes=(event_loop event_loops poll thread_per_connection pool connection_queue prefork datagrams)
for shape in "${shapes[@]}"; do
	python3 tests/synthetic/make_profile.py "$shape" 300 > "$dir/made.json" || exit 1
	try "$shape" "$dir/made.json" "$dir/first.json"
	case " $again " in
	*" $shape "*) try "$shape, made from what was measured" "$dir/first.json" "$dir/second.json" ;;
	esac
done
python3 tests/unit/schema.py docs/schema/profile.schema.json "$dir"/*.json && echo "ok - the schema holds" || bad=1
exit "$bad"
