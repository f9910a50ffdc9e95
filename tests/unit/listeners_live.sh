#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The capture finds the processes that listen on this host as it begins, and those that came until it ends, in the network
# namespace of its target. A server that connects to a backend of its host for each request waits for that process.
#
# Usage: tests/unit/listeners_live.sh
# Exit status: 0 passed; 1 failed; 77 perf events cannot be used here.
. "$(dirname "$0")/live.bash"

# Listens at a port of one loopback address, and after a second at one of all addresses of IPv6; prints both.
serve='import socket, sys, time
def listen(family, address):
    one = socket.socket(family)
    one.bind((address, 0))
    one.listen()
    print(one.getsockname()[1], flush=True)
    return one
first = listen(socket.AF_INET, "127.0.0.1")
time.sleep(3)
second = listen(socket.AF_INET6, "::")
while True:
    time.sleep(0.01)'

# Traces such a server for 6 s; $rows are what the trace says of it.
trace() {	# [COMMAND...]
	"$@" python3 -c "$serve" > "$dir/ports" &
	target=$!
	until [ -s "$dir/ports" ]; do sleep 0.1; done
	"$scope" record -p "$target" --source perf -d 6 -o "$dir/trace" > "$dir/said" 2>&1 || { cat "$dir/said"; bad=1; }
	rows=$("$scope" dump "$dir/trace" | sed -n "s/^meta \(listener\..*\) $target \(.*\)/\1 \2/p" | sort)
	expected=$(printf 'listener.0.127.0.0.1:%s python3\nlistener.0.[::]:%s python3\n' $(cat "$dir/ports") | sort)
	others=$("$scope" dump "$dir/trace" | grep '^meta listener\.' | grep -vc " $target python3$")
	kill "$target"
	wait 2> /dev/null
	target=
}

check() {	# WHAT
	[ "$rows" = "$expected" ] && echo "ok: $1" || { echo "not ok: $1: found: $rows"; echo "expected: $expected"; bad=1; }
}

trace
check "both are known, though one came later"
if unshare -n true 2> /dev/null; then
	trace unshare -n
	check "both are known in another network namespace"
	[ "$others" = 0 ] || { echo "not ok: $others of other network namespaces"; bad=1; }
else
	echo "skipped: no network namespace can be made here"
fi

python3 "$PWD/tests/unit/listeners_work.py" > "$dir/pids" &
target=$!
until [ -s "$dir/pids" ]; do sleep 0.1; done
read -r server backend < "$dir/pids"
"$scope" waits -p "$server" --source perf -d 6 > "$dir/waits" 2> "$dir/said" || { cat "$dir/said"; bad=1; }
kill "$target"
wait 2> /dev/null
target=
grep -q " python3 (pid $backend), at 127.0.0.1:" "$dir/waits" && echo "ok: it waits for the backend's process" ||
	{ echo "not ok: the backend is not named:"; cat "$dir/waits"; bad=1; }
exit "$bad"
