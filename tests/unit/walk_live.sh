#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The steps of a person who has only the README, and a slow nginx or PostgreSQL: clone, build, run a report, read the
# answer, open the page. The commands are those of the clone's README. The servers are Debian's, without symbols. nginx has a
# location whose regular expression takes quadratic time on some addresses. PostgreSQL has a column that refers to another
# table and has no index: to delete a row of that, all of the column's table is read.
#
# Usage: [CC=...] [PICTURES=DIR] tests/unit/walk_live.sh     PICTURES: keeps the pages' pictures, SERVER.png, there
# Exit status: 0 passed; 1 failed; 77 there is neither server (apt-get install nginx-light postgresql-15), or no
# perf events. A server that is not installed is named, and left out.
. "$(dirname "$0")/live.bash"
nginx=$(command -v nginx || true)
postgres=$(find /usr/lib/postgresql -name postgres -path '*/bin/*' 2> /dev/null | sort | tail -n 1)
[ -n "$nginx$postgres" ] || { echo "skipped: neither nginx nor PostgreSQL is here (apt-get install nginx-light postgresql-15)"; exit 77; }
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
checks=$PWD/tests/unit
pictures=${PICTURES:-$dir}
mkdir -p "$pictures"
pictures=$(realpath "$pictures")
ended_all() {
	[ ! -s "$dir/nginx.pid" ] || kill "$(cat "$dir/nginx.pid")"
	[ ! -s "$dir/data/postmaster.pid" ] || kill -INT "$(head -n 1 "$dir/data/postmaster.pid")"
	sleep 0.5
	ended
}
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

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

# Both set $asked, the process to ask about, and $target, what loads it.
start_nginx() {
	local port
	port=$(free_port)
	mkdir -p "$dir/html" "$dir/run"
	head -c 2000 /dev/zero | tr '\0' x > "$dir/html/page.html"
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
	asked=$(pgrep -P "$(cat "$dir/nginx.pid")")
}

# Does not run as root.
as_nobody() { setpriv --reuid=nobody --regid=nogroup --clear-groups "$@"; }

start_postgres() {
	local port bin=${postgres%/*}
	port=$(free_port)
	chmod 755 "$dir"
	mkdir "$dir/data"
	chown nobody "$dir/data"
	ok "a database" as_nobody "$bin/initdb" -D "$dir/data" -U shop -A trust -N
	as_nobody "$postgres" -D "$dir/data" -h 127.0.0.1 -p "$port" -k "$dir/data" > "$dir/server.log" 2>&1 < /dev/null &
	for _ in $(seq 100); do
		! "$bin/pg_isready" -q -h 127.0.0.1 -p "$port" || break
		sleep 0.2
	done
	asked=$(head -n 1 "$dir/data/postmaster.pid")
	ok "the slow PostgreSQL" "$bin/psql" -q -h 127.0.0.1 -p "$port" -U shop -d postgres -c "
		CREATE TABLE customer (id INT PRIMARY KEY, name TEXT);
		INSERT INTO customer SELECT i, 'customer ' || i FROM generate_series(1, 50000) i;
		CREATE TABLE orders (id INT PRIMARY KEY, customer INT REFERENCES customer);
		INSERT INTO orders SELECT i, i % 5000 + 1 FROM generate_series(1, 20000) i;"
	# One in 16 deletes a customer; those that it deletes have no orders.
	echo '\set id random(1, 5000)
SELECT name FROM customer WHERE id = :id;' > "$dir/usual.sql"
	echo '\set id random(5001, 50000)
DELETE FROM customer WHERE id = :id;' > "$dir/rare.sql"
	"$bin/pgbench" -n -h 127.0.0.1 -p "$port" -U shop -c 2 -T 300 -R 400 -f "$dir/usual.sql@15" -f "$dir/rare.sql@1" postgres \
		> "$dir/load" 2>&1 &
	target=$!
	sleep 2
}

# The page in a browser: its figures, and a picture.
see_page() { # NAME FUNCTION
	[ -n "$browser" ] || return 0
	scope report -i slow.trace --format json > slow.json
	scope report -i slow.trace > slow.screen
	scope report -i slow.trace -o seen.html
	timeout 300 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$dir/browser" --virtual-time-budget=5000 \
		--dump-dom "file://$PWD/seen.html" > slow.dom 2> browser.log
	PYTHONDONTWRITEBYTECODE=1 ok "$1: the page as a browser has it, with the figures of the JSON" \
		python3 "$checks/report_html.py" slow.dom slow.json slow.screen
	grep -qE -- "$2" slow.dom || { echo "not ok - $1: the page does not name the function"; bad=1; }
	timeout 300 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$dir/browser" --virtual-time-budget=5000 \
		--window-size=1200,1600 --screenshot="$pictures/$1.png" "file://$PWD/seen.html" > browser.log 2>&1
	# An empty page of that size has 8 kB.
	ok "$1: its picture is not empty" [ "$(stat -c %s "$pictures/$1.png")" -gt 30000 ]
}

# Asks about $asked, as the README says, and does what the answer says.
walk() { # NAME FUNCTION MODULE
	local command
	mkdir "$dir/$1"
	cd "$dir/$1" || exit 1
	ok "$1: $ask" bash -c "${ask/PID/$asked} --source perf"
	cp "$dir/said" screen
	grep -vE '^scope' screen > answer
	# Where others take the CPUs, that comes first.
	if grep -qE '^SLOWDOWN ' answer && grep -qE "^  Where +($2) in $3" answer; then
		echo "ok - $1: the answer names the function: $(grep -oE -m 1 -- "$2" answer | head -n 1)"
	else
		echo "not ok - $1: the answer:"
		cat answer
		bad=1
	fi
	[ "$(wc -l < answer)" -le 15 ] || { echo "not ok - $1: the first screen has $(wc -l < answer) lines"; bad=1; }
	# What it names as next, as a person pastes it.
	sed -nE 's/^  (Next| {4}) +(scope-report -i .*)/\2/p' answer | sed 's/  *#.*//' > next
	grep -q html next || { echo "not ok - $1: no page is named as next"; bad=1; }
	while read -r command; do ok "$1: next: $command" bash -c "$command"; done < next
	ok "$1: the page, from the process" bash -c "${page/PID/$asked} -d 3 --source perf"
	see_page "$1" "$2"
	kill "$target"
	target=
}

ok "a fresh clone" git clone -q "$PWD" "$dir/clone"
cd "$dir/clone" || exit 1
[ "$(readme '^make setup')" = "make setup user kmod" ] || { echo "not ok - README builds by: $(readme '^make setup')"; bad=1; }
ok "make user" make -s user ${CC:+CC="$CC"}
PATH=$PWD/build/user:$PATH
ok "$(readme '^scope doctor')" $(readme '^scope doctor')
ask=$(readme '^scope-report -p PID -d 20 --save slow.trace')
page=$(readme '^scope-report -p PID -o slow.html')
[ -n "$ask" ] && [ -n "$page" ] || { echo "not ok - the README has other commands"; bad=1; }

if [ -n "$nginx" ]; then
	start_nginx
	walk nginx 'ngx_(http_)?regex_exec' nginx
else
	echo "# left out: there is no nginx (apt-get install nginx-light)"
fi
if [ -n "$postgres" ]; then
	start_postgres
	walk postgres 'RI_FKey_noaction_del|heap_getnextslot|heapgetpage|ExecScan' postgres
else
	echo "# left out: there is no PostgreSQL (apt-get install postgresql-15)"
fi
exit $bad
