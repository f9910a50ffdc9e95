#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The report that is updated while a capture runs: on a terminal, through a pipe, and ended by Ctrl-C.
#
# Usage: tests/unit/report_live.sh
# Exit status: 0 passed; 1 failed; 77 perf events cannot be used here.
. "$(dirname "$0")/live.bash"
python3 -c '
import os, time
r, w = os.pipe()
while True:
    os.write(w, b"x"); os.read(r, 1); sum(range(2000)); time.sleep(0.001)
' &
target=$!
sleep 0.3

# check NAME COMMAND...
check() {
	local name=$1
	shift
	if "$@"; then
		echo "ok - $name"
	else
		echo "not ok - $name; last was said:"
		tail -n 5 "$dir/said" | sed 's/^/    /'
		bad=1
	fi
}

: > "$dir/piped" # it is read before the job below may have begun
"$scope" report -v -p "$target" --source perf -d 600 --live=1 --save "$dir/a.trace" \
	> "$dir/piped" 2> "$dir/said" &
reporter=$!
for _ in $(seq 1200); do
	[ "$(grep -c '^live · ' "$dir/piped")" -lt 3 ] || break
	sleep 0.1
done
kill -INT "$reporter"
wait "$reporter"
check "piped: it ends well" [ $? -eq 0 ]
check "piped: several reports, each with a head of its own" \
	[ "$(grep -c '^live · ' "$dir/piped")" -ge 2 ]
check "piped: the last is that of the whole capture" \
	[ "$(grep -c '^scope ' "$dir/piped")" -eq $(($(grep -c '^live · ' "$dir/piped") + 1)) ]
check "piped: no escape sequence" bash -c "! grep -q $'\033' '$dir/piped'"
awk '/^(HANG|SPIN|SLOWDOWN|NOTHING) .*\(pid /{ text = "" } { text = text $0 "\n" } END { printf "%s", text }' "$dir/piped" > "$dir/last"
"$scope" report -v -i "$dir/a.trace" > "$dir/again"
check "piped: the saved trace has the same last report" diff "$dir/last" "$dir/again"

# The kernel's count of CPU time against ours, as the report itself holds them together.
if grep -q ', 0 lost$' "$dir/again"; then
	# Of each group; the rows below it have no such column.
	grep -A 12 'unexplained$' "$dir/again" > "$dir/said"
	check "accounting: at most 2 % unexplained" \
		[ "$(awk '/unexplained$/ { on = 1; next } /^ *$/ { on = 0 }
			on && /×/ { rows++; bad += $(NF - 1) > 2 } END { print (rows > 0 && !bad) }' "$dir/again")" = 1 ]
fi

# A terminal of 30 lines of 60 columns; after the third report Ctrl-C is pressed.
python3 - "$scope" "$target" > "$dir/screen" 2> "$dir/said" <<-'END'
	import fcntl, os, pty, select, struct, sys, termios, time
	pid, fd = pty.fork()
	if not pid:
	    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 60, 0, 0))
	    os.environ["TERM"] = "xterm"
	    os.execv(sys.argv[1], [sys.argv[1], "report", "-p", sys.argv[2], "--source", "perf",
	                           "-d", "600", "--live=1"])
	begin, frames, pressed = time.monotonic(), 0, False
	while time.monotonic() - begin < 200:
	    comes = select.select([fd], [], [], 0.1)[0]
	    # The terminal drops what it has not shown yet when Ctrl-C is pressed: not within a frame.
	    if not pressed and (frames > 3 and not comes or time.monotonic() - begin > 120):
	        pressed = os.write(fd, b"\003")
	    if comes:
	        try:
	            data = os.read(fd, 65536)
	        except OSError:
	            break
	        sys.stdout.buffer.write(data)
	        frames += data.count(b"\033[H")
	sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
END
check "terminal: Ctrl-C ends it well" [ $? -eq 0 ]
python3 - "$dir/screen" 2> "$dir/said" <<-'END'
	import re, sys
	# The terminal shows the key, wherever the cursor is.
	text = open(sys.argv[1], "rb").read().decode().replace("^C", "")
	begin, end = "\033[?1049h", "\033[?1049l"
	assert text.count(begin) == 1 and text.count(end) == 1, "one alternate screen"
	inside, after = text[text.index(begin):text.index(end)], text[text.index(end):]
	frames = inside.split("\033[H")[2:]
	assert len(frames) >= 2, "%d reports" % len(frames)
	for frame in frames:
	    # The line of keys, which the last frame has before the end of the screen, is cut like any other: it has all 60 columns.
	    assert re.search("\033\\[J\033\\[30;1Hp pause [^\033]{52}\033\\[0m", frame), "a whole frame: %r" % frame
	    frame = frame[:frame.index("\033[J")]
	    lines = re.sub("\033\\[[0-9;?]*[a-zA-Z]", "", frame).split("\r\n")
	    assert len(lines) <= 30 and max(map(len, lines)) <= 60, "it fits the screen: %r" % frame
	    assert lines[0].startswith("live · "), lines[0]
	    assert "\033[2J" not in frame, "no flicker"
	assert after.count("source perf") == 1, "the last report stays"
END
check "terminal: the frames are whole, and the last report stays" [ $? -eq 0 ]

: > "$dir/live.jsonl"
"$scope" report -p "$target" --source perf -d 600 --live=1 --format json > "$dir/live.jsonl" 2> "$dir/said" &
reporter=$!
for _ in $(seq 1200); do
	[ "$(wc -l < "$dir/live.jsonl")" -lt 2 ] || break
	sleep 0.1
done
kill -INT "$reporter"
wait "$reporter"
check "JSON: it ends well" [ $? -eq 0 ]
check "JSON: a report a line, as the schema says" \
	python3 tests/unit/schema.py docs/schema/report.schema.json "$dir/live.jsonl"
check "JSON: the last one is of all" python3 -c '
import json, sys
live = [json.loads(line)["live"] for line in open(sys.argv[1])]
assert len(live) >= 3 and live[-1] is None, live
assert [l["elapsed_ns"] for l in live[:-1]] == sorted(l["elapsed_ns"] for l in live[:-1]), live
' "$dir/live.jsonl"

"$scope" report -i "$dir/a.trace" --live > /dev/null 2> "$dir/said"
check "a saved trace has no live report" [ $? -eq 2 ]
"$scope" report -p "$target" --live=0.1 > /dev/null 2> "$dir/said"
check "a time too short is refused" [ $? -eq 2 ]
exit $bad
