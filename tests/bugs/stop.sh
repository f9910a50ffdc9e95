#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# End one demo server and its load, by process id.
#
# Usage: tests/bugs/stop.sh SERVER_PID LOAD_PID
set -u

[ $# -eq 2 ] || { echo "usage: stop.sh SERVER_PID LOAD_PID" >&2; exit 2; }
# What Node and Java wrote for us to read.
trap 'rm -f "/tmp/perf-$1.map"' EXIT
# The load first: wrk and mcload then still print what they measured. A hung server ignores TERM.
kill -INT "$2" 2>/dev/null
for _ in $(seq 20); do
	kill -0 "$2" 2>/dev/null || break
	sleep 0.1
done
kill -9 "$2" 2>/dev/null
kill "$1" 2>/dev/null
for _ in $(seq 20); do
	kill -0 "$1" 2>/dev/null || exit 0
	sleep 0.1
done
kill -9 "$1" 2>/dev/null
exit 0
