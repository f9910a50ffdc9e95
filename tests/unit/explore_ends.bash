# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# For tests that end an exploration early, on this host or in a guest. They set scope, dir (a folder of their own) and
# server (the process that is explored, explore_work stages), and programs (a folder that has text_changed, made of text_changed.c).

# The probes that the kernel lists: by tracefs, and those of the kernel from any tool.
probes_listed() {
	local list
	for list in tracing/uprobe_events tracing/kprobe_events debug/kprobes/list; do
		[ ! -r /sys/kernel/$list ] || sort /sys/kernel/$list
	done
}

# True if no breakpoint is in the server's code, the kernel lists what it listed before ($dir/listed), and the server
# lives. What a killed process had open is closed by the kernel in its own time, so this waits for up to 10 s.
nothing_left() {
	local left _
	for _ in $(seq 100); do
		left=$("$programs/text_changed" "$server") || return 1
		[ "$left" != 0 ] || ! probes_listed | cmp -s - "$dir/listed" || return 0
		sleep 0.1
	done
	echo "left: $left changed bytes of code; listed before and now:"
	probes_listed | diff "$dir/listed" -
	return 1
}

# Ends an exploration by a signal in one of its rounds; from the third on while a probe is in the server's code. 2: it ended by itself
# before that.
ends_in_round() {	# SOURCE ROUND SIGNAL [ARGUMENT...]
	local source=$1 round=$2 signal=$3 explorer changed=0
	shift 3
	probes_listed > "$dir/listed"
	: > "$dir/said" # it is read before the job below may have begun
	"$scope" explore -p "$server" --source "$source" --budget 100 "$@" > "$dir/out" 2> "$dir/said" &
	explorer=$!
	while [ "$(grep -c 'round [0-9]*: ' "$dir/said")" -lt $((round - 1)) ]; do
		kill -0 "$explorer" || { echo "it ended before round $round:"; cat "$dir/said"; return 2; }
		sleep 0.05
	done
	if [ "$round" -ge 3 ]; then
		changed=$("$programs/text_changed" "$server" until "$explorer") ||
			{ echo "no probe was seen in round $round:"; cat "$dir/said" "$dir/out"; return 2; }
	else
		sleep 0.5
	fi
	kill -s "$signal" "$explorer" || return 1
	wait "$explorer"
	echo "round $round, $signal: $changed bytes of code were changed"
	nothing_left
}

# Stops the reporter while it has a probe in the server's code, until its buffers must be full (the server is explore_work
# flood, which takes stopped_s seconds on an emulated machine), and lets it go on: it takes the probe out of the code before it empties them, and sets it again later. 2: it was stopped
# while it emptied them, and goes on with that.
pause_once() {	# SOURCE [ARGUMENT...]
	local source=$1 explorer waited
	shift
	probes_listed > "$dir/listed"
	: > "$dir/said"
	"$scope" explore -p "$server" --source "$source" --budget 100 --format json -o "$dir/found.pause" "$@" 2> "$dir/said" &
	explorer=$!
	"$programs/text_changed" "$server" until "$explorer" > "$dir/changed" || { cat "$dir/said"; return 2; }
	kill -STOP "$explorer"
	sleep "${stopped_s:-1}"
	echo "while it was stopped: $("$programs/text_changed" "$server") bytes of code were changed"
	kill -CONT "$explorer"
	waited=$("$programs/text_changed" "$server" gone "$explorer") || { cat "$dir/said"; return 1; }
	echo "they were gone $waited ms after it went on"
	wait "$explorer" || { cat "$dir/said"; return 1; }
	nothing_left || return 1
	python3 -c 'import json, sys
exploration = json.load(open(sys.argv[1]))["exploration"]
nodes = [node for tree in exploration["trees"] for node in tree["nodes"]]
print({key: exploration[key] for key in ("pauses", "looks_apart_s", "lost", "rounds")})
sys.exit(2 if not exploration["pauses"] else not any(node["refinement"] == "probes" and node["share"] for node in nodes))
' "$dir/found.pause"
}

pauses_while_full() {	# SOURCE [ARGUMENT...]
	local status _
	for _ in 1 2 3 4; do
		pause_once "$@"
		status=$?
		rm -f "$dir/found.pause"
		[ "$status" = 2 ] || break
	done
	return "$status"
}
