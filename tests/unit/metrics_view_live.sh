#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The table of metrics that is printed repeatedly while a capture runs: through a pipe, on a terminal, where letters choose the order and
# q ends the capture, and on a dumb terminal.
#
# Exit status: 0 passed; 1 failed; 77 perf events cannot be used here.
. "$(dirname "$0")/live.bash"
python3 -c '
import threading, time
def work(name, times):
    open("/proc/thread-self/comm", "w").write(name)
    while True:
        sum(range(times))
        time.sleep(0.002)
threading.Thread(target=work, args=("aaa", 10), daemon=True).start()
threading.Thread(target=work, args=("zzz", 60000), daemon=True).start()
print("ready", flush=True)
time.sleep(600)
' > "$dir/ready" &
target=$!
until grep -q ready "$dir/ready"; do sleep 0.1; done

check() {	# NAME COMMAND...
	local name=$1
	shift
	if "$@"; then
		echo "ok - $name"
	else
		echo "not ok - $name"
		tail -n 30 "$dir/piped" "$dir/said" 2>/dev/null | sed 's/^/    /'
		bad=1
	fi
}

: > "$dir/piped" # it is read before the job below may have begun
"$scope" metrics -p "$target" --source perf -d 600 --by thread --live=500ms --step 500ms > "$dir/piped" 2> "$dir/said" &
viewer=$!
for _ in $(seq 600); do
	[ "$(grep -c '^live · ' "$dir/piped")" -lt 4 ] || break
	sleep 0.1
done
kill -INT "$viewer"
wait "$viewer"
check "piped: it ends well" [ $? -eq 0 ]
check "piped: several tables" [ "$(grep -c '^thread .* run ' "$dir/piped")" -ge 3 ]
check "piped: the threads are in them, by name" bash -c "grep -o '^aaa\|^zzz' '$dir/piped' | head -n 2 | paste -sd, | grep -qx aaa,zzz"
check "piped: all metrics at the end" grep -q '^METRICS of ' "$dir/piped"
check "piped: no escape sequence" bash -c "! grep -q $'\033' '$dir/piped'"

# A terminal of 30 lines of 100 columns; after the second table somebody presses c, later q.
python3 - "$scope" "$target" > "$dir/piped" 2> "$dir/said" <<-'END'
	import fcntl, os, pty, re, select, struct, sys, termios, time

	def view(term):
	    pid, fd = pty.fork()
	    if not pid:
	        os.environ["TERM"] = term
	        os.execv(sys.argv[1], ["scope", "metrics", "-p", sys.argv[2], "--source", "perf", "-d", "600", "--by", "thread", "--live=500ms", "--step", "500ms"])
	    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
	    text, pressed, end = "", [], time.time() + 60
	    while time.time() < end:
	        if select.select([fd], [], [], 0.1)[0]:
	            try:
	                got = os.read(fd, 65536)
	            except OSError:
	                break
	            if not got:
	                break
	            text += got.decode(errors="replace")
	        if text.count("live · ") >= 4 and "c" not in pressed:
	            pressed.append("c")
	            os.write(fd, b"c")
	            since = len(text)
	        if "c" in pressed and text.count("live · ", since) >= 3 and "q" not in pressed:
	            pressed.append("q")
	            os.write(fd, b"q" if term != "dumb" else b"\x03")
	    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
	    return text, status

	text, status = view("xterm")
	screens = [one for one in text.split("\033[H") if "live · " in one]
	plain = [re.sub(r"\033\[[0-9;?]*[A-Za-z]", "", one).replace("\r", "") for one in screens]
	order = [[line[:3] for line in one.split("\n") if line[:3] in ("aaa", "zzz")] for one in plain]
	print("ends", status)
	print("by name first", ["aaa", "zzz"] in order[:4] and "[n name]" in plain[0])
	print("by CPU later", ["zzz", "aaa"] in order and order[-1] == ["zzz", "aaa"] and "[c CPU]" in plain[-1])
	print("as wide as the terminal", 88 <= max(len(line) for line in plain[2].split("\n")[2:]) <= 99)
	print("screen restored", text.rfind("\033[?1049l") > text.rfind("\033[?1049h") >= 0)
	print("all at the end", "METRICS of" in text[text.rfind("\033[?1049l"):])
	text, status = view("dumb")
	print("dumb", status == 0 and "\033[?1049h" not in text and "\033[H" not in text and text.count("live · ") >= 3)
END
for said in "ends 0" "by name first True" "by CPU later True" "as wide as the terminal True" "screen restored True" "all at the end True" "dumb True"; do
	check "terminal: $said" grep -qx "$said" "$dir/piped"
done
exit $bad
