#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The example in docs/trace-format.md becomes a trace, and this trace becomes the same text.
set -euo pipefail
cd "$(dirname "$0")/../.."

scope=build/san/scope
[ -x "$scope" ] || scope=build/user/scope
[ -x "$scope" ] || { echo "skipped: no program is built; make user builds it"; exit 77; }
if [ "$("$scope" --help | grep -c '^  dump ')" = 0 ]; then
	echo "skipped: $scope has no command dump; make user builds it again"
	exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
awk '/^```/ { p = 0 } p; /^```$/ { getline; p = /^meta /; if (p) print }' docs/trace-format.md \
	> "$folder/text"
[ "$(wc -l < "$folder/text")" -ge 20 ] || { echo "the example is not found"; exit 1; }
"$scope" dump --reverse "$folder/text" -o "$folder/trace"
"$scope" dump "$folder/trace" | diff "$folder/text" -
