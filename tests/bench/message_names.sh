#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Names that stripped programs have in their own messages: for each file how many of its functions have no symbol, how many of
# them get a name, and how long it takes. A file with symbols is stripped first, so the names can be compared.
#
# Usage: tests/bench/message_names.sh FILE...      after make build/user/bench/message_names
# Prints a line for each file and a sum; wrong names on standard error.
set -uo pipefail
cd "$(dirname "$0")/../.."

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
for file; do
	set -- "$file"
	if readelf -SW "$file" | grep -q ' \.symtab '; then
		strip -o "$dir/bare" "$file" || exit 1
		set -- "$dir/bare" "$file"
	fi
	echo "$(basename "$file") $(build/user/bench/message_names "$@")" || exit 1
done | tee "$dir/lines"
awk '{ for (i = 2; i < NF; i += 2) sum[$i] += $(i + 1); if (/ right /) compared += $7 }
	END { printf "sum: without_symbol %d named %d; compared %d right %d; cpu_ms %.0f\n", sum["without_symbol"], sum["named"],
		compared, sum["right"], sum["cpu_ms"] }' "$dir/lines"
