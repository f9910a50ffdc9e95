#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A watch of a server by perf events on this host: a slowdown, a hang in a condition variable and a spin each become one
# incident, with its function and its begin; a healthy time becomes none; a second time shortly after is the same one. Its trace
# and reports are written, a program and a webhook get it, its memory stays, it follows a restart, and ends on Ctrl-C.
#
# Usage: tests/unit/watch_live.sh
# Exit status: 0 passed; 1 failed; 77 perf events cannot be used here.
. "$(dirname "$0")/watching.bash"

name=watch_$((BASHPID % 100000))

# said PATTERN SECONDS: until the watch says it.
said() {
	local _
	for _ in $(seq $(($2 * 10))); do
		! grep -Eq -- "$1" "$dir/said" || return 0
		sleep 0.1
	done
	return 1
}

start_work() {
	coproc WORK { exec "$dir/work" "$name"; }
	target=$WORK_PID
	read -r _ server <&"${WORK[0]}"
}

ask() {	# WORD: $began is when it went wrong
	echo "$1" >&"${WORK[1]}"
	read -r _ began <&"${WORK[0]}"
}

resident() { awk '/^VmRSS/ { print $2 }' "/proc/$watcher/status"; }

incidents() { grep -c ' incident: ' "$dir/said"; }

# The begin that the watch reports is within 1 s of the true one.
within() {	# FUNCTION TRUE
	local change
	change=$(sed -nE "s/.* incident: $1 .*since ([^,]*),.*/\1/p" "$dir/said" | head -1)
	[ -n "$change" ] && awk -v a="$(date -d "$change" +%s.%N)" -v b="$2" 'BEGIN { exit !(a - b < 1 && b - a < 1) }'
}

# Whatever is posted, a line each; the first line is the port.
cat > "$dir/hook.py" <<'PY'
import http.server, sys
class Hook(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        print(self.rfile.read(int(self.headers["Content-Length"])).decode(), flush=True)
        self.send_response(204)
        self.end_headers()
    def log_message(self, *_):
        pass
server = http.server.HTTPServer(("127.0.0.1", 0), Hook)
print(server.server_port, flush=True)
server.serve_forever()
PY
python3 "$dir/hook.py" > "$dir/beside" &
beside=$!
cat > "$dir/program" <<SH
#!/bin/sh
echo "\$SCOPE_KIND \$SCOPE_FUNCTION \$SCOPE_BEGAN \$SCOPE_REPORT" >> "$dir/executed"
SH
chmod +x "$dir/program"
for _ in $(seq 50); do [ ! -s "$dir/beside" ] || break; sleep 0.1; done
webhook=(--webhook "http://127.0.0.1:$(head -1 "$dir/beside")/")
! "$scope" watch -p 1 "${webhook[@]}" --when no 2>&1 | grep -q 'without libcurl\|libcurl.so' || webhook=()

start_work
"$scope" watch -p "$name" --source perf -o "$dir/w.trace" --format text,json --min-interval 1 --after 1 --listen 0 \
	--exec "$dir/program" "${webhook[@]}" --when 'p50>10s' 2> "$dir/said" &
watcher=$!
is "it begins" said 'watching' 10
sleep 11
is "a healthy time is no incident" [ "$(incidents)" = 0 ]
before=$(resident)

for way in "slow render_slowly" "hang await_answer" "spin count_for_ever"; do
	read -r word function <<< "$way"
	ask "$word"
	is "$word: $function is an incident within 8 s" said " incident: $function " 8
	is "$word: its begin is right within 1 s" within "$function" "$began"
	sleep 1
	ask calm
	sleep 2
done
ask slow
sleep 4
ask calm
is "three incidents, and the same once more is none" [ "$(incidents)" = 3 ]
port=$(sed -nE 's/.*listening on port ([0-9]+).*/\1/p' "$dir/said")
exec 3<> "/dev/tcp/127.0.0.1/$port"
printf 'GET /metrics HTTP/1.0\r\n\r\n' >&3
is "its metrics count them" grep -q '^scope_watch_incidents_total 3' <(timeout 5 cat <&3)
exec 3>&-
after=$(resident)
is "its memory stays: $before KiB, then $after KiB" [ "$after" -lt $((before + 16384)) ]

kill "$target"
wait "$target" 2> /dev/null
is "it says that the target has ended" said 'target has ended' 5
start_work
is "it follows the restart" said "(watching.*\[$server\])" 5
sleep 1
kill -INT "$watcher"
wait "$watcher"
is "Ctrl-C ends it well" [ $? = 0 ]
watcher=
is "the program was executed for each" [ "$(cut -d' ' -f1,2 "$dir/executed" | tr '\n' ,)" = \
	"wait render_slowly,hang await_answer,spin count_for_ever," ]
[ ${#webhook[@]} -eq 0 ] || is "the webhook got each" [ "$(grep -c '"function":"' "$dir/beside")" = 3 ]
for end in trace trace.txt trace.json; do
	files=("$dir"/w-*."$end")
	is "each has its .$end" [ ${#files[@]} = 3 ]
done
is "the report beside the trace names the function" grep -q render_slowly "$dir"/w-*.trace.txt
is "and begins with the incident" grep -q '^INCIDENT  render_slowly is slow: work with it takes 1' "$(ls "$dir"/w-*.trace.txt | head -1)"
is "the trace holds the time before" awk -v a="$("$scope" dump "$(ls "$dir"/w-*.trace | head -1)" |
	sed -nE 's/^meta flight_seconds ([0-9.]+).*/\1/p')" 'BEGIN { exit !(a > 10) }'
is "nothing else was written" [ "$(find "$dir" -name 'w-*' ! -name '*.trace' ! -name '*.trace.txt' ! -name '*.trace.json' | wc -l)" = 0 ]
[ "$bad" = 0 ] || cat "$dir/said"
exit "$bad"
