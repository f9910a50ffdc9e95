#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Put the report of a demo that has run into README.md, between its demo-output marks.
#
# Usage: scripts/readme-demo.sh [BUG [SEED]]     default: lock 1; run make demo first
set -euo pipefail
cd "$(dirname "$0")/.."

bug=${1:-lock} seed=${2:-1}
report=build/demo/$bug-$seed/report.txt
[ -s "$report" ] || { echo "readme-demo.sh: $report is missing: run make demo BUG=$bug SEED=$seed" >&2; exit 1; }
new=$(mktemp)
trap 'rm -f "$new"' EXIT
awk -v report="$report" '
	/^<!-- demo-output -->$/ {
		print
		print "```"
		while ((getline line < report) > 0)
			print line
		print "```"
		inside = 1
	}
	/^<!-- \/demo-output -->$/ { inside = 0 }
	!inside && !/^<!-- demo-output -->$/ { print }
' README.md > "$new"
cat "$new" > README.md
