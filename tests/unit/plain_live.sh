#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A process whose name is an escape sequence and a line end, recorded and watched: no command prints it unescaped.
#
# Usage: tests/unit/plain_live.sh
# Exit status: 0 passed; 1 failed; 77 perf events cannot be used here.
. "$(dirname "$0")/live.bash"
mkdir "$dir/bin" "$dir/bin/"$'d\033[2J\nx'
cp "$(command -v dd)" "$dir/bin/"$'d\033[2J\nx/dd'
python3 -c '
import ctypes, os, sys, time
name = b"\x1b]0;pwned\x07\x0a"
def rename():
    assert not ctypes.CDLL(None).prctl(15, name, 0, 0, 0)
rename()
r, w = os.pipe()
while True:
    os.write(w, b"x"); os.read(r, 1); sum(range(2000)); time.sleep(0.001)
' $'an\033[1margument\n' &
target=$!
for _ in $(seq 200); do
	[ "$(tr -d '\n' <"/proc/$target/comm")" = $'\033]0;pwned\a' ] && break
	sleep 0.05
done

"$scope" record -p "$target" --source perf -d 1 -o "$dir/a.trace" >"$dir/said.record" 2>"$dir/err.record" || bad=1
"$scope" report -v -i "$dir/a.trace" >"$dir/said.report" 2>"$dir/err.report"
"$scope" dump "$dir/a.trace" >"$dir/said.dump" 2>&1
"$scope" report -v -p "$target" --source perf -d 2 --live=1 >"$dir/said.live" 2>"$dir/err.live"
"$scope" doctor -p "$target" >"$dir/said.doctor" 2>"$dir/err.doctor"
"$scope" record --source perf -d 1 -o "$dir/b.trace" -- "$dir/bin/"$'d\033[2J\nx/dd' if=/dev/zero of=/dev/null bs=16M count=1000 \
	>"$dir/said.command" 2>"$dir/err.command"
"$scope" dump "$dir/b.trace" >"$dir/said.dump2" 2>&1

check() {	# NAME COMMAND...
	local name=$1
	shift
	if "$@"; then echo "ok - $name"; else echo "not ok - $name"; bad=1; fi
}
check "its name is printed, escaped" grep -qF '\x1b]0;pwned\x07' "$dir/said.record" "$dir/err.record"
check "in the report, too" grep -qF '\x1b]0;pwned\x07\x0a' "$dir/said.report"
check "and while it runs" grep -qF '\x1b]0;pwned\x07\x0a' "$dir/said.live"
check "its arguments are in the trace" grep -qF 'an\x1b[1margument\x0a' "$dir/said.dump"
check "the file of a name like that is in the trace" grep -qF 'd\x1b[2J\x0ax/dd' "$dir/said.dump2"
check "nothing that is not text" python3 tests/unit/names_plain.py "$dir"/said.* "$dir"/err.*
exit $bad
