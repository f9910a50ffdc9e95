#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# scope dump --from and --to print the events of that part of the window, and all metadata.
set -euo pipefail
cd "$(dirname "$0")/../.."

scope=build/san/scope
[ -x "$scope" ] || scope=build/user/scope
[ -x "$scope" ] || { echo "skipped: no program is built; make user builds it"; exit 77; }
if [ "$("$scope" dump --help | grep -c -- --from)" = 0 ]; then
	echo "skipped: $scope dump has no --from; make user builds it again"
	exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# An event every 1 ms, in turn on two CPUs, for 20 s: many sub-buffers.
awk 'BEGIN {
	print "meta begin_ns 5000000000"
	for (i = 0; i < 20000; i++)
		printf "%.0f %d sample 100 0x%x\n", 5000000000 + i * 1000000, i % 2, i + 1
}' > "$folder/text"
"$scope" dump --reverse "$folder/text" -o "$folder/trace"

expect() {	# FIRST-LINE LAST-LINE OPTION...: events by their line in the text
	local first=$1 last=$2
	shift 2
	{ sed -n 1p "$folder/text"; sed -n "${first},${last}p" "$folder/text"; } > "$folder/want"
	"$scope" dump "$@" "$folder/trace" | diff "$folder/want" - | head -n 5 ||
		{ echo "scope dump $*: these lines differ"; exit 1; }
}

expect 2 20001
expect 12002 20001 --from 12
expect 2 501 --to 500ms
expect 3502 3601 --from 3.5 --to 3600ms
expect 2 20001 --to 1h
{ sed -n 1p "$folder/text"; } > "$folder/want"
"$scope" dump --from 1h "$folder/trace" | diff "$folder/want" -
for wrong in "--from 2 --to 1" "--from x" "--to -1"; do
	status=0
	# shellcheck disable=SC2086 # words
	"$scope" dump $wrong "$folder/trace" > /dev/null 2>&1 || status=$?
	[ "$status" -eq 2 ] || { echo "scope dump $wrong: exit $status, not 2"; exit 1; }
done
