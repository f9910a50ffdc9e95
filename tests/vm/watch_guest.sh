#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The part of test_watch.sh that runs in the guest.
#
# Usage: watch_guest.sh SCOPE SCOPE_KO DIRECTORY
set -uo pipefail

scope=$1 module=$2 programs=$3
dir=$(mktemp -d /dev/shm/watch.XXXXXX)
chmod 755 "$dir"
. "$(dirname "$0")/guest.bash"
cd "$dir" || exit 1
: > stdout
: > stderr

unused() { [ "$(cat /sys/module/scope/refcnt)" -eq 0 ]; }
said() { grep -Eq -- "$1" "$dir/stderr"; }

# The server in the group, as $work with WORK to ask it.
start_work() {
	coproc WORK { echo "$BASHPID" > "$group/cgroup.procs"; exec "$programs/watch_work" watched; }
	work=$WORK_PID
	read -r _ server <&"${WORK[0]}"
}

ask() {
	echo "$1" >&"${WORK[1]}"
	read -r _ _ <&"${WORK[0]}"
}

# watch OUTPUT TARGET...: leaves it as $watcher.
watch() {
	local output=$1
	shift
	"$scope" watch "$@" --source kmod -o "$output" --after 1 --min-interval 1 2> "$dir/stderr" < /dev/null &
	watcher=$!
	until_true said 'watching '
}

ends() {	# SIGNAL STATUS
	local got=0
	kill "-$1" "$watcher"
	wait "$watcher" || got=$?
	[ "$got" -eq "$2" ] || { echo "exit status $got, expected $2"; return 1; }
	until_true unused
}

sees_a_hang() {
	watch "$dir/w.trace" --cgroup "$group" || return 1
	sleep 15
	ask hang
	until_true said 'incident: await_answer hangs' && until_true said 'the report is ' &&
		grep -q await_answer "$dir"/w-*.trace.txt
}

follows_a_restart() {
	kill "$work"
	until_true said 'target has ended' || return 1
	start_work
	until_true said "watching .*\[($work|$server)\]"
}

goes_on_with_a_full_disk() {
	mkdir -p full && mount -t tmpfs -o size=32k none full && watch "$dir/full/w.trace" --unit watched || return 1
	sleep 15
	ask hang
	until_true said 'incident: ' && until_true said 'wanted by watch .*; recording goes on' &&
		kill -0 "$watcher" && ends INT 0 && umount full
}

# After each of these times after its start. A shell has its jobs ignore SIGINT until they handle it, so this is SIGTERM.
ends_at_any_moment() {
	local after
	for after in 0.3 1 3 8; do
		"$scope" watch --cgroup "$group" --source kmod -o "$dir/e.trace" --format none 2> stderr < /dev/null &
		watcher=$!
		sleep "$after"
		kill -TERM "$watcher"
		wait "$watcher"
		until_true unused || return 1
		[ ! -e "$dir/e.trace.part" ] || { echo "a file is left after $after s"; return 1; }
	done
}

insmod "$module" || exit 1
mkdir -p /sys/fs/cgroup
mountpoint -q /sys/fs/cgroup || mount -t cgroup2 none /sys/fs/cgroup
group=/sys/fs/cgroup/watched.service
[ -e /sys/fs/cgroup/cgroup.procs ] || group=/sys/fs/cgroup/unified/watched.service
mkdir -p "$group" || exit 1
start_work
pass sees_a_hang sees_a_hang
pass follows_a_restart follows_a_restart
pass ends_on_ctrl_c ends INT 0
pass goes_on_with_a_full_disk goes_on_with_a_full_disk
ask calm
pass ends_at_any_moment ends_at_any_moment
pass watch_again watch "$dir/k.trace" -p watched
pass leaves_no_session_if_killed ends KILL 137
kill "$work"
exit $((failures > 0))
