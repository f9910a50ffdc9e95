#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# -p NAME: the only process of that name, or the parent of several; without such a parent a list of them, with a remedy.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

scope=$(realpath "${SCOPE:-build/san/scope}")
work=$(mktemp -d)
name=sn$$
ended() {
	[ -z "$(jobs -p)" ] || jobs -p | xargs kill 2> /dev/null
	rm -rf "$work"
}
trap ended EXIT
bad=0

# Python names itself, as a program that is started under that name would be named.
start() {	# NAME [CHILDREN]
	python3 -c '
import ctypes, os, sys, time
ctypes.CDLL(None).prctl(15, sys.argv[1].encode())
for _ in range(int(sys.argv[2])):
    if not os.fork():
        break
time.sleep(60)' "$1" "${2:-0}" &
}
named() {	# NAME COUNT: waits until COUNT processes have the name
	local _
	for _ in $(seq 200); do
		[ "$(cat /proc/[0-9]*/comm 2> /dev/null | grep -cx "$1")" -ne "$2" ] || return 0
		sleep 0.05
	done
	return 1
}
says() {	# NAME PATTERN: of what was said
	if grep -qe "$2" "$work/said"; then
		echo "ok - $1"
	else
		echo "not ok - $1: $(cat "$work/said")"
		bad=1
	fi
}

"$scope" report -p "$name.none" -d 0.2 > "$work/said" 2>&1
says "none" "no process is named '$name.none': .ps -eo pid,comm. lists them"

# A source that is not there is said after the process was found.
start "$name.one"
one=$!
named "$name.one" 1
"$scope" report -p "$name.one" --source none > "$work/said" 2>&1
says "one" "wants kmod or perf"

start "$name.family" 2
named "$name.family" 3
"$scope" report -p "$name.family" --source none > "$work/said" 2>&1
says "children of it are no others" "wants kmod or perf"

start "$name.one"
two=$!
named "$name.one" 2
"$scope" report -p "$name.one" --source none > "$work/said" 2>&1
[ "$one" -lt "$two" ] || { both=$one; one=$two; two=$both; }
says "several" "2 processes are named '$name.one': $one (.*), $two (.*); name one by its number"

"$scope" report -p 0 -d 1 > "$work/said" 2>&1
says "no number" "-p wants the number or the name of a process, not '0'"
"$scope" report -p 99999999 -d 1 > "$work/said" 2>&1
says "a number that no process can have" "there is no process 99999999: "
"$scope" report -p 1x -d 1 > "$work/said" 2>&1
says "a name that begins with a digit" "no process is named '1x'"
exit $bad
