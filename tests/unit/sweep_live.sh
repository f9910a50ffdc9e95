#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# scope model --sweep: a server made from a profile, under several loads. With wrong options, a load that fails, a server
# that ends, and Ctrl-C: the points that were measured are kept.
#
# Exit status: 0 passed; 1 failed; 77 perf events cannot be used here.
. "$(dirname "$0")/live.bash"
gcc -O2 -Wall -Wextra -Werror -pthread -o "$dir/synthetic" tests/synthetic/*.c -ljansson -lm || exit 1
python3 tests/synthetic/make_profile.py event_loop 200 > "$dir/made.json" || exit 1

not_ok() { echo "not ok - $1"; bad=1; }
ok() { echo "ok - $1"; }

start_server() {
	coproc WORK { exec "$dir/synthetic" server "$dir/made.json"; }
	target=$WORK_PID
	read -r _ server port <&"${WORK[0]}"
}

sweep() { "$scope" model -p "$server" --source perf "$@" 2> "$dir/said"; }

# misused WHAT PATTERN OPTION...
misused() {
	local what=$1 pattern=$2 status=0
	shift 2
	"$scope" model "$@" > "$dir/out" 2> "$dir/said" || status=$?
	{ [ "$status" -eq 2 ] && grep -q -- "$pattern" "$dir/said"; } && ok "$what" ||
		{ not_ok "$what: status $status"; cat "$dir/said"; }
}
misused "a load without {conns}" 'has no {conns}' -p $$ --sweep conns=1,2 --load 'true'
misused "a load without {rate}" 'has no {rate}' -p $$ --sweep 'conns=1,2 rate=5' --load 'true {conns}'
misused "a sweep without a load" 'needs a command' -p $$ --sweep conns=1,2
misused "a load without a sweep" 'goes with --sweep' -p $$ --load 'true'
misused "another word" "conns=1,2,4 or rate=100,200, each of them once, not 'threads=1'" -p $$ --sweep threads=1 --load true
misused "no number" "numbers of connections with commas, not 'x'" -p $$ --sweep conns=1,x --load 'true {conns}'
misused "half a connection" "numbers of connections" -p $$ --sweep conns=1.5 --load 'true {conns}'
misused "a rate of 0" "requests a second with commas" -p $$ --sweep rate=0 --load 'true {rate}'
misused "twice" "each of them once" -p $$ --sweep conns=1 --sweep conns=2 --load 'true {conns}'
misused "a saved trace" "goes with -p" -i "$dir/made.json" --sweep conns=1 --load 'true {conns}'
misused "a sweep of profiles" "goes without --profile" -p $$ --sweep conns=1 --load 'true {conns}' --profile

start_server
sweep --sweep 'conns=1,2,3,4 rate=200,400' -o "$dir/swept.json" \
	--load "[ \$SCOPE_CONNS = {conns} ] && $dir/synthetic load $dir/made.json $port 120 {conns} {rate}" ||
	{ not_ok "a sweep"; cat "$dir/said"; }
python3 - "$dir/swept.json" <<'END' && ok "a sweep has all its points" || bad=1
import json
import sys

swept = json.load(open(sys.argv[1]))
points = [(point["conns"], point["rate"], point["requests"]) for point in swept["points"]]
wanted = [(conns, rate, 120) for conns in (1, 2, 3, 4) for rate in (200, 400)]
if points != wanted or swept["planned"] != 8:
    sys.exit(f"{points} is not {wanted}")
for point in swept["points"]:
    # 0.2 to 0.27 ms outside of calls, and what calls and the tracer take.
    if not 200_000 < point["cpu_ns"] < 2_000_000 or point["threads"] != 1:
        sys.exit(f"not as the server is: {point}")
END
python3 tests/unit/schema.py docs/schema/commands.schema.json "$dir/swept.json" && ok "the schema holds" || bad=1

status=0
sweep --sweep conns=1,2,3 --load "[ {conns} -lt 3 ] && $dir/synthetic load $dir/made.json $port 50 {conns} 0" > "$dir/out" || status=$?
{ [ "$status" -eq 1 ] && grep -q '2 of 3 points' "$dir/out" && grep -q 'ended with status 1 at conns 3' "$dir/said"; } &&
	ok "a load that fails" || { not_ok "a load that fails: $status"; cat "$dir/out" "$dir/said"; }

status=0
sweep --sweep conns=1,2 --load "true {conns}" > "$dir/out" || status=$?
{ [ "$status" -eq 1 ] && [ ! -s "$dir/out" ] && grep -q 'no thread took a request' "$dir/said"; } &&
	ok "a load that asks nothing" || { not_ok "a load that asks nothing: $status"; cat "$dir/out" "$dir/said"; }

# The second load goes on until it is ended: Ctrl-C ends it, too.
"$scope" model -p "$server" --source perf --sweep conns=1,2,3 > "$dir/out" 2> "$dir/said" --load \
	"[ {conns} -lt 2 ] || { echo \$\$ > $dir/second; exec sleep 600; }; $dir/synthetic load $dir/made.json $port 50 {conns} 0" &
recorder=$!
for _ in $(seq 1200); do [ -s "$dir/second" ] && break; sleep 0.05; done
kill -INT "$recorder"
status=0
wait "$recorder" || status=$?
{ [ "$status" -eq 0 ] && grep -q '1 of 3 points' "$dir/out"; } && ok "Ctrl-C keeps what was measured" ||
	{ not_ok "Ctrl-C: $status"; cat "$dir/out" "$dir/said"; }
for _ in $(seq 200); do kill -0 "$(cat "$dir/second")" 2>/dev/null || break; sleep 0.05; done
kill -0 "$(cat "$dir/second")" 2>/dev/null && not_ok "the load goes on after Ctrl-C" || ok "Ctrl-C ends the load"

status=0
sweep --sweep conns=1,2 --load "[ {conns} -lt 2 ] || { kill -KILL $server; exit 0; }; $dir/synthetic load $dir/made.json $port 50 {conns} 0" \
	> "$dir/out" || status=$?
{ [ "$status" -eq 1 ] && grep -q '1 of 2 points' "$dir/out" && grep -q 'the process ended at conns 2\|no process\|no such process' "$dir/said"; } &&
	ok "a server that ends" || { not_ok "a server that ends: $status"; cat "$dir/out" "$dir/said"; }
target=
exit "$bad"
