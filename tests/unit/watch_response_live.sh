#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The reactions to an incident of a watch, by perf events on this host, in case of faults: a program that hangs, and a webhook that does not
# answer. A percentile above its limit is an incident. Neither keeps the other from its work, nor the watch from the next incident. Ctrl-C says that it waits, a second one ends the watch
# and the program. A full disk is reported as such. Findings that are held back are reported.
#
# Usage: tests/unit/watch_response_live.sh
# Exit status: 0 passed; 1 failed; 77 perf events cannot be used here.
. "$(dirname "$0")/watching.bash"

silent=
finish() {
	local pid
	[ "$BASHPID" = $$ ] || return
	for pid in $watcher $silent $target; do kill -KILL "$pid" 2> /dev/null; done
	wait 2> /dev/null
	! mountpoint -q "$dir/full" || umount "$dir/full"
	rm -rf "$dir"
}
trap finish EXIT

comes() {	# SECONDS CONDITION...
	local _ seconds=$1
	shift
	for _ in $(seq $((seconds * 10))); do
		! "$@" || return 0
		sleep 0.1
	done
	return 1
}
said() { grep -Eq -- "$1" "$dir/said"; }
has_reports() { [ "$(find "$dir" -name 'w-*.txt' | wc -l)" = "$1" ]; }
gone() { ! kill -0 "$1" 2> /dev/null; }
ask() {
	echo "$1" >&"${WORK[1]}"
	read -r _ _ <&"${WORK[0]}"
}
watch() {	# OUTPUT OPTION...
	local output=$1
	shift
	"$scope" watch -p "$server" --source perf -o "$output" --after 1 "$@" 2> "$dir/said" &
	watcher=$!
	comes 10 said 'watching'
	sleep 11
}

# Takes connections, and counts them, but never answers.
cat > "$dir/silent.py" <<'PY'
import socket
server = socket.create_server(("127.0.0.1", 0))
print(server.getsockname()[1], flush=True)
kept = []
while True:
    kept.append(server.accept()[0])
    print("asked", flush=True)
PY
python3 "$dir/silent.py" > "$dir/asked" &
silent=$!
comes 5 test -s "$dir/asked"
printf '#!/bin/sh\necho $$ > "%s/program"\nexec sleep 1000\n' "$dir" > "$dir/hangs"
chmod +x "$dir/hangs"
webhook=(--webhook "http://127.0.0.1:$(head -1 "$dir/asked")/")
! "$scope" watch -p 1 "${webhook[@]}" --when no 2>&1 | grep -q 'without libcurl\|libcurl.so' || webhook=()

coproc WORK { exec "$dir/work" watched; }
target=$WORK_PID
read -r _ server <&"${WORK[0]}"
watch "$dir/w.trace" --min-interval 1 --exec "$dir/hangs" "${webhook[@]}" --when 'p90>5ms'
ask slow
is "a percentile above its limit is an incident" comes 20 said 'incident: p90>5ms: 1[0-9.]+ ms, of [0-9]+ in the last 10 s'
is "the program is executed" comes 20 test -s "$dir/program"
[ ${#webhook[@]} -eq 0 ] || is "the webhook is asked while the program hangs" comes 5 grep -q asked "$dir/asked"
ask hang
is "the next incident comes all the same" comes 20 said 'incident: await_answer hangs'
is "and its report" comes 10 has_reports 3
kill -INT "$watcher"
is "Ctrl-C says for what it waits" comes 10 said 'waiting for the report, program and webhook'
program=$(cat "$dir/program")
kill -INT "$watcher"
is "a second one ends the watch" comes 5 gone "$watcher"
is "and the program" comes 5 gone "$program"
ask calm

sleep 2
if mkdir "$dir/full" && mount -t tmpfs -o size=256k none "$dir/full" 2> /dev/null; then
	watch "$dir/full/w.trace" --min-interval 300 --format text,html
	ask slow
	is "a full disk is named" comes 20 said 'No space left on device'
	ask hang
	is "what is within the interval is held back" comes 20 said 'held back for [0-9.]+ s \(--min-interval\): await_answer hangs'
	kill -INT "$watcher"
	is "and is an incident when the watch ends" comes 10 said 'incident: await_answer hangs'
	wait "$watcher"
	is "the watch ends well" [ $? = 0 ]
	watcher=
fi

# On a terminal, what a child says does not continue the line that the watch rewrites each second.
ask calm
python3 -c 'import pty, sys; pty.spawn(sys.argv[1:])' "$scope" watch -p "$server" --source perf -o "$dir/t.trace" \
	--after 1 > "$dir/said" 2>&1 < /dev/null &
watcher=$!
comes 20 said 'holds the last 1[1-9] '
ask slow
is "there is a report on a terminal, too" comes 20 said 'the report is'
is "in a line of its own" [ "$(grep -c 'lost.\[Kscope' "$dir/said")" = 0 ]
kill "$target"
comes 10 gone "$watcher"
[ "$bad" = 0 ] || cat "$dir/said"
exit "$bad"
