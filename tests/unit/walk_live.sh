#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What a person does who has only the README, and an nginx that is slow: clones, builds, asks, reads the answer, opens the
# page. The commands are those of the clone's README. The nginx is Debian's, without symbols, with a configuration that
# has a planted bug: a location whose regular expression takes quadratic time on some addresses.
#
# Usage: [CC=...] tests/unit/walk_live.sh
# Exit status: 0 all as it should be; 1 not; 77 there is no nginx (apt-get install nginx-light), or no perf events.
. "$(dirname "$0")/live.bash"
nginx=$(command -v nginx) || { echo "skipped: there is no nginx (apt-get install nginx-light)"; exit 77; }
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
checks=$PWD/tests/unit
ended_all() { [ ! -s "$dir/nginx.pid" ] || kill "$(cat "$dir/nginx.pid")"; ended; }
trap ended_all EXIT

# ok WHAT COMMAND...
ok() {
	local what=$1
	shift
	if "$@" > "$dir/said" 2>&1; then
		echo "ok - $what"
	else
		echo "not ok - $what: '$*' ends with $?, said:"
		tail -n 20 "$dir/said" | sed 's/^/    /'
		bad=1
	fi
}

# The first command of the README's blocks that matches, without its comment.
readme() { awk '/^```/ { inside = !inside; next } inside' "$dir/clone/README.md" | grep -m 1 -E -- "$1" | sed 's/  *#.*//'; }

ok "a fresh clone" git clone -q "$PWD" "$dir/clone"
cd "$dir/clone" || exit 1
[ "$(readme '^make setup')" = "make setup user kmod" ] || { echo "not ok - README builds by: $(readme '^make setup')"; bad=1; }
ok "make user" make -s user ${CC:+CC="$CC"}
PATH=$PWD/build/user:$PATH
ok "$(readme '^scope doctor')" $(readme '^scope doctor')

mkdir -p "$dir/html" "$dir/run"
head -c 2000 /dev/zero | tr '\0' x > "$dir/html/page.html"
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
cat > "$dir/nginx.conf" <<CONF
worker_processes 1; pid $dir/nginx.pid; error_log $dir/error.log; user root;
events { worker_connections 128; }
http {
	access_log off;
	client_body_temp_path $dir/run/a; proxy_temp_path $dir/run/b; fastcgi_temp_path $dir/run/c;
	uwsgi_temp_path $dir/run/d; scgi_temp_path $dir/run/e;
	server {
		listen 127.0.0.1:$port;
		root $dir/html;
		location ~ ".*.*=.*blocked" { return 403; }
	}
}
CONF
ok "the slow nginx" "$nginx" -c "$dir/nginx.conf"
python3 - "$port" > "$dir/load" 2>&1 <<'PY' &
"""One address in 16 is long, and the location's expression matches none."""
import http.client, itertools, sys, time
connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]))
for number in itertools.count():
    connection.request("GET", "/page.html" if number % 16 else "/" + "x" * 700 + "=" + "y" * 700 + "d")
    connection.getresponse().read()
    time.sleep(0.001)
PY
target=$!
sleep 1
worker=$(pgrep -P "$(cat "$dir/nginx.pid")")

ask=$(readme '^scope-report -p PID -d 20 --save slow.trace')
page=$(readme '^scope-report -p PID -o slow.html')
[ -n "$ask" ] && [ -n "$page" ] || { echo "not ok - the README has other commands"; bad=1; }
cd "$dir" || exit 1
ok "$ask" bash -c "${ask/PID/$worker} --source perf"
cp said screen
grep -vE '^scope' screen > answer
if grep -qE '^SLOWDOWN' answer && grep -qE '^  Where +ngx_(http_)?regex_exec in nginx' answer; then
	echo "ok - the answer names the function: $(grep -oE 'ngx_[a-z_]*regex_exec' answer | head -n 1)"
else
	echo "not ok - the answer:"
	cat answer
	bad=1
fi
[ "$(wc -l < answer)" -le 15 ] || { echo "not ok - the first screen has $(wc -l < answer) lines"; bad=1; }
# What it names as next, as a person pastes it.
sed -nE 's/^  (Next| {4}) +(scope-report -i .*)/\2/p' answer | sed 's/  *#.*//' > next
grep -q html next || { echo "not ok - no page is named as next"; bad=1; }
while read -r command; do ok "next: $command" bash -c "$command"; done < next
ok "the page, from the process" bash -c "${page/PID/$worker} -d 3 --source perf"
if [ -n "$browser" ]; then
	scope report -i slow.trace --format json > slow.json
	scope report -i slow.trace > slow.screen
	scope report -i slow.trace -o seen.html
	timeout 300 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$dir/browser" --virtual-time-budget=5000 \
		--dump-dom "file://$dir/seen.html" > slow.dom 2> browser.log
	PYTHONDONTWRITEBYTECODE=1 ok "the page as a browser has it, with the figures of the JSON" \
		python3 "$checks/report_html.py" slow.dom slow.json slow.screen
	grep -q 'ngx_[a-z_]*regex_exec' slow.dom || { echo "not ok - the page does not name the function"; bad=1; }
fi
exit $bad
