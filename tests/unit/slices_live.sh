#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Threads of Python wait for the interpreter's lock in slices of 5 ms, most of which time out. The first finding is the function of a thread that
# holds the lock for a long time; the place where requests wait for the lock is never the first finding.
#
# Usage: tests/unit/slices_live.sh
# Exit status: 0 passed; 1 failed; 77 perf events cannot be used here, or Python has no symbols of functions that
# are not exported.
. "$(dirname "$0")/live.bash"
work=$PWD/tests/unit/slices_work.py
clients=

symbols() {	# those of the interpreter, which is the program or a library
	local library
	library=$(python3 -c 'import sysconfig; print(sysconfig.get_config_var("LIBDIR") + "/" + (sysconfig.get_config_var("INSTSONAME") or ""))')
	nm "$(python3 -c 'import sys; print(sys.executable)')" "$library" 2>/dev/null
}
# Read to its end: pipefail.
[ "$(symbols | grep -c ' take_gil$')" -gt 0 ] ||
	{ echo "skipped: python3 has no symbol take_gil"; exit 77; }

# Serves requests of 6 clients, traced for 6 s; the report is in $dir.
serve() {	# [healthy]
	local port=$((20000 + RANDOM % 10000))
	"$(python3 -c 'import sys; print(sys.executable)')" "$work" "$port" &
	target=$!
	sleep 1
	python3 "$work" "$port" 6 600 "$@" &
	clients=$!
	sleep 1
	"$scope" record -p "$target" --source perf -d 6 -o "$dir/a.trace" > "$dir/said" 2>&1 || { cat "$dir/said"; return 1; }
	kill "$clients" "$target"
	wait "$clients" "$target" 2>/dev/null
	target=
	"$scope" report -i "$dir/a.trace" -v > "$dir/report"
	rm "$dir/a.trace"
	first=$(sed -n 's/^  1  \([^ ]*\) .*/\1/p' "$dir/report" | head -1)
}

serve || bad=1
case $first in
k_mul | x_mul | k_lopsided_mul | long_mul | x_add | x_sub | v_iadd | v_isub) echo "ok: $first is named" ;;
serve_client)	# the function of Python that multiplies
	grep -q '^  1  serve_client .* makes wait ' "$dir/report" && echo "ok: $first is named, for which others wait" ||
		{ head -30 "$dir/report"; echo "not ok: $first is named as one that waits"; bad=1; } ;;
*) head -30 "$dir/report"; echo "not ok: the multiplication is not the first finding, but ${first:-nothing}"; bad=1 ;;
esac
serve healthy || bad=1
case $first in
take_gil | PyEval_RestoreThread) head -30 "$dir/report"; echo "not ok: $first is named of a healthy server"; bad=1 ;;
*) echo "ok: of a healthy server ${first:-nothing} is named" ;;
esac
exit "$bad"
