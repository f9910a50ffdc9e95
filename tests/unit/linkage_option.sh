#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# scope report --linkage: each linkage gives the same bugs, the report names the linkage, and other words are refused.
set -euo pipefail
cd "$(dirname "$0")/../.."

scope=${SCOPE:-build/san/scope}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The rows of the list: rank and function.
functions() { awk '$1 == "#" { on = 1; next } on && NF < 2 { exit } on && $1 ~ /^[0-9]+$/ { print $1, $2 }' "$1"; }

PYTHONDONTWRITEBYTECODE=1 python3 tests/golden/three_bugs.py > "$work/text"
"$scope" dump --reverse "$work/text" -o "$work/trace"
"$scope" report -v -i "$work/trace" > "$work/default"
functions "$work/default" > "$work/wanted"
[ "$(wc -l < "$work/wanted")" -ge 3 ]
for name in complete average single ward divisive; do
	"$scope" report -v -i "$work/trace" --linkage "$name" > "$work/report"
	functions "$work/report" | diff "$work/wanted" -
	tr '\n' ' ' < "$work/report" | tr -s ' ' > "$work/line"
	case $name in
	complete) diff "$work/default" "$work/report" ;;
	*) grep -q "put together by $name clustering" "$work/line" ;;
	esac
done
status=0
"$scope" report -i "$work/trace" --linkage centroid 2> "$work/said" || status=$?
[ "$status" = 2 ]
grep -q "divisive, not 'centroid'" "$work/said"
